#include "planner/search/block_costs.h"

#include "planner/base/check.h"
#include "planner/base/parallel_map.h"
#include "planner/ops/layer_segment.h"
#include "planner/ops/op_list.h"

#include <algorithm>
#include <iterator>

namespace fabricast {

namespace {

/// What every way of checkpointing keeps, or more: the layer's input, or all that is not made
/// again.
std::int64_t keptBytes(const Scenario& scenario, const OpList& layer) {
    const Checkpointing kind = scenario.settings.recompute.kind;
    const bool known = kind == Checkpointing::None || kind == Checkpointing::Modules;
    return known ? savedBytes(layer, false) : layer.tensor(layer.input).bytes;
}

double secondsOf(const SegmentTime& time) {
    return time.forward.device.total() + time.recompute.device.total() + time.input.device.total() +
           time.weight.device.total();
}

Result<BlockCost> costOf(const Scenario& scenario, const StepEstimator& estimator) {
    BlockCost cost;
    FABRICAST_ASSIGN(cost.time, estimator.blocks(scenario));
    const ModelTime& time = cost.time;
    cost.compute = secondsOf(time.embedding) + secondsOf(time.norm) + secondsOf(time.head);
    for (std::int64_t layer = 0; layer < scenario.model.layers; ++layer) {
        const bool sparse = scenario.model.isSparse(layer);
        cost.compute += secondsOf(sparse ? time.sparse : time.dense);
        std::int64_t& saved = sparse ? cost.savedSparse : cost.savedDense;
        if (saved == 0) {
            FABRICAST_ASSIGN(const OpList ops, layerSegment(scenario, layer));
            saved = std::max<std::int64_t>(1, keptBytes(scenario, ops));
        }
    }
    return cost;
}

}  // namespace

BlockCosts::Key BlockCosts::keyOf(const Candidate& candidate) {
    const Layout& layout = candidate.layout;
    return {candidate.stack,
            candidate.recompute,
            layout.shard,
            layout.dp > 1,
            layout.pp > 1,
            layout.sp,
            layout.tp,
            layout.cp,
            layout.cpKind,
            layout.ep,
            layout.etp,
            layout.microBatch};
}

void BlockCosts::add(const std::vector<std::uint32_t>& candidates) {
    std::vector<std::uint32_t> first;
    for (const std::uint32_t index : candidates) {
        const Key key = keyOf(space_.candidates[index]);
        if (places_.emplace(key, costs_.size() + first.size()).second) {
            first.push_back(index);
        }
    }
    const auto cost = [&](std::uint32_t index) {
        return costOf(space_.scenarioOf(task_, space_.candidates[index]), estimator_);
    };
    auto costs = parallelMap(first, cost, {.threads = threads_});
    FABRICAST_CHECK(costs.has_value());
    std::ranges::move(*costs, std::back_inserter(costs_));
}

const Result<BlockCost>& BlockCosts::of(const Candidate& candidate) const {
    return costs_[places_.at(keyOf(candidate))];
}

}  // namespace fabricast
