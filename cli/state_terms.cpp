#include "cli/state_terms.h"

#include "planner/ops/parameters.h"
#include "planner/report/table.h"
#include "planner/stack/deepspeed_estimate.h"
#include "planner/stack/state_bytes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace fabricast {
namespace {

std::int64_t shardRanks(const Layout& layout) {
    if (layout.shard == Shard::None) {
        return 1;
    }
    return layout.shardSize > 0 ? layout.shardSize : layout.replicas();
}

/// Experts of other ranks are split over other groups, and adapters are a small part of the model:
/// there one sum over all parameters says nothing.
bool hasOneRule(const Scenario& scenario) {
    return scenario.layout.ep == 1 && scenario.settings.tuning == Tuning::Full;
}

Term statesOf(const Scenario& scenario, const StageMemory& stage) {
    const BytesPerParameter each = stateBytes(scenario.settings, scenario.layout);
    const std::int64_t ranks = shardRanks(scenario.layout);
    const double perRank = each.perRank(static_cast<double>(ranks));
    const auto bytes = std::llround(static_cast<double>(stage.localParameters) * perRank);
    return {.key = "states",
            .bytes = Bytes(bytes),
            .formula = fmt::format("{} parameters x {:.6g} B: {}{}",
                                   grouped(stage.localParameters),
                                   perRank,
                                   each.formula(),
                                   ranks > 1 ? fmt::format(", d = {}", ranks) : ""),
            .source = "what the stack keeps for each parameter; no activations, nothing gathered"};
}

/// DeepSpeed's largest layer: the module that owns the most parameters itself.
std::int64_t largestLayer(const ModelSpec& model) {
    std::int64_t largest = 0;
    for (const auto& list :
         {embeddingParameters(model), layerParameters(model, 0), headParameters(model)}) {
        for (const Parameter& parameter : list) {
            const std::int64_t copies = std::max<std::int64_t>(parameter.copies, 1);
            largest = std::max(largest, parameter.elements() / copies);
        }
    }
    return largest;
}

Result<Term> deepspeedTerm(const Scenario& scenario) {
    const Offload offload = scenario.layout.offload;
    const bool parameters = offload == Offload::ParametersCpu || offload == Offload::ParametersNvme;
    const DeepspeedQuestion question{.parameters = countParameters(scenario.model).total,
                                     .largestLayer = largestLayer(scenario.model),
                                     .gpusPerNode = scenario.cluster.node.gpus,
                                     .nodes = scenario.cluster.nodes,
                                     .offloadOptimizer = offload != Offload::None,
                                     .offloadParameters = parameters};
    const bool third = scenario.layout.shard == Shard::Zero3;
    FABRICAST_ASSIGN(const DeepspeedEstimate estimate,
                     third ? deepspeedEstimateStage3(question) : deepspeedEstimateStage2(question));
    return Term{.key = "deepspeed_estimate",
                .bytes = estimate.gpu,
                .formula = fmt::format("{} parameters, largest layer {}, {} x {} GPUs; host {} B",
                                       grouped(question.parameters),
                                       grouped(question.largestLayer),
                                       question.nodes,
                                       question.gpusPerNode,
                                       grouped(estimate.host.count())),
                .source = third ? "DeepSpeed's estimate_zero3_model_states_mem_needs"
                                : "DeepSpeed's estimate_zero2_model_states_mem_needs"};
}

}  // namespace

void addStateTerms(const Scenario& scenario, MemoryBreakdown& memory) {
    if (!hasOneRule(scenario)) {
        return;
    }
    for (StageMemory& stage : memory.stages) {
        stage.terms.push_back(statesOf(scenario, stage));
        if (scenario.settings.engine == Engine::DeepSpeed && scenario.layout.shard > Shard::Zero1) {
            if (auto term = deepspeedTerm(scenario)) {
                stage.terms.push_back(*std::move(term));
            }
        }
    }
}

}  // namespace fabricast
