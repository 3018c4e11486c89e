#include "planner/ops/parameters.h"
#include "planner/report/table.h"
#include "planner/spec/names.h"
#include "planner/stack/deepspeed_estimate.h"
#include "planner/stack/state_bytes.h"
#include "planner/stack/step_collectives.h"
#include "study/rules_of_thumb.h"

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
    return scenario.layout.ep == 1 && scenario.settings.trainsAll();
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
            .source = "what the stack keeps per parameter; no activations, no gathered weights"};
}

std::int64_t elementsOf(const std::vector<Parameter>& parameters) {
    std::int64_t sum = 0;
    for (const Parameter& parameter : parameters) {
        sum += parameter.buffer ? 0 : parameter.elements();
    }
    return sum;
}

/// What a rank of this pipeline stage holds, and how much of it is head or embedding.
RankParameters parametersOf(const Scenario& scenario, const StageMemory& stage) {
    const std::int64_t head = elementsOf(headParameters(scenario.model));
    const std::int64_t embedding = elementsOf(embeddingParameters(scenario.model));
    const bool last = stage.stage == scenario.layout.pp - 1;
    return {.all = stage.localParameters,
            .head = last ? head : 0,
            .ends = (last ? head : 0) + (stage.stage == 0 ? embedding : 0)};
}

std::string_view nameOfOp(Collective op) {
    switch (op) {
        case Collective::AllReduce:
            return "all-reduce";
        case Collective::ReduceScatter:
            return "reduce-scatter";
        case Collective::AllGather:
            return "all-gather";
    }
    return "";
}

std::int64_t groupSize(const Layout& layout, GroupKind group) {
    switch (group) {
        case GroupKind::Shard:
            return shardRanks(layout);
        case GroupKind::Replicate:
            return layout.replicas() / shardRanks(layout);
        default:
            return layout.replicas();
    }
}

/// A ring of n ranks moves (n-1)/n of a tensor to gather or scatter it, twice that to all-reduce
/// it.
double wireBytes(const StepCollective& collective, double elements, std::int64_t ranks) {
    const auto n = static_cast<double>(ranks);
    const double passes = collective.op == Collective::AllReduce ? 2.0 : 1.0;
    return elements * static_cast<double>(bytesPerElement(collective.dtype)) * passes * (n - 1) / n;
}

Term trafficOf(const Scenario& scenario, const StageMemory& stage) {
    const RankParameters parameters = parametersOf(scenario, stage);
    const std::int64_t microBatches = scenario.microBatches();
    double total = 0;
    std::string formula;
    for (const StepCollective& collective :
         stepCollectives(scenario.settings, scenario.layout, parameters)) {
        const double elements = elementsPerStep(collective, parameters, microBatches);
        total += wireBytes(collective, elements, groupSize(scenario.layout, collective.group));
        formula +=
            fmt::format("{}{} of {} {} x{:.4g}",
                        formula.empty() ? "" : " + ",
                        nameOfOp(collective.op),
                        nameOf(collective.dtype),
                        collective.carried == Carried::Gradients ? "gradients" : "weights",
                        elements / static_cast<double>(std::max<std::int64_t>(parameters.all, 1)));
    }
    return {.key = "traffic",
            .bytes = Bytes(std::llround(total)),
            .formula = fmt::format("micro-batches {}: {}", microBatches, formula),
            .source = "per rank and step between data parallel ranks, in a ring"};
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
    const DeepspeedQuestion question{.parameters = countParameters(scenario.model).total,
                                     .largestLayer = largestLayer(scenario.model),
                                     .gpusPerNode = scenario.cluster.node.gpus,
                                     .nodes = scenario.cluster.nodes,
                                     .offloadOptimizer = offload != Offload::None,
                                     .offloadParameters = offloadsParameters(offload)};
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
        if (scenario.layout.tp == 1 && scenario.layout.replicas() > 1) {
            stage.terms.push_back(trafficOf(scenario, stage));
        }
        if (scenario.settings.engine == Engine::DeepSpeed && scenario.layout.shard > Shard::Zero1) {
            if (auto term = deepspeedTerm(scenario)) {
                stage.terms.push_back(*std::move(term));
            }
        }
    }
}

}  // namespace fabricast
