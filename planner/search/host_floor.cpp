#include "planner/base/integers.h"
#include "planner/result/memory_breakdown.h"
#include "planner/search/layer_split.h"
#include "planner/search/lower_bounds.h"
#include "planner/search/model_weight_counts.h"

#include <algorithm>
#include <cstdint>

namespace fabricast {

namespace {

/// Bytes of a parameter that lie on the host at least: weights in 4 bits, or one fp32 state.
double leastBytes(const Layout& layout, const Settings& settings) {
    switch (layout.offload) {
        case Offload::ParametersCpu:
            return 0.5;
        case Offload::OptimizerCpu:
            return settings.trainsAll() ? 4.0 * (settings.engine == Engine::Megatron
                                                     ? settings.megatron.offloadFraction
                                                     : 1.0)
                                        : 0.0;
        default:
            return 0.0;
    }
}

double parametersOf(const ModelSpec& model) {
    const std::int64_t sparse = LayerSplits(model).sparse(0, model.layers);
    const WeightCount all = ModelWeightCounts(model).ofLayers(model.layers - sparse, sparse);
    return all.own + all.experts;
}

}  // namespace

bool allNeedUnknownHost(const SearchTask& task,
                        const SearchSpace& space,
                        CandidateScenarios& scenarios) {
    const ClusterSpec& cluster = task.base.cluster;
    if (cluster.node.hostMemory.value || space.families.empty()) {
        return false;
    }
    const double ofNode = parametersOf(task.base.model) / asDouble(cluster.nodes);
    return std::ranges::all_of(space.families, [&](const LayoutFamily& family) {
        const auto settings = scenarios.usual(family.stack, family.layout);
        return settings && ofNode * leastBytes(family.layout, **settings) >
                               asDouble(HostNeed::kSurelyThere.count());
    });
}

}  // namespace fabricast
