#include "planner/search/memory_bound.h"

#include "planner/memory/pipeline_order.h"
#include "planner/memory/runtime_overhead.h"
#include "planner/ops/parameters.h"
#include "planner/spec/stage_split.h"
#include "planner/stack/rank_groups.h"
#include "planner/stack/state_bytes.h"

#include <algorithm>

namespace fabricast {

MemoryBound::MemoryBound(const SearchTask& task, const SearchSpace& space)
    : task_(task),
      space_(space),
      scratch_(task.base),
      states_(space.settings.size()),
      firstRanks_(2 * space.settings.size()) {
    const ModelSpec& model = task.base.model;
    for (std::int64_t layer = 0; layer < model.layers; ++layer) {
        const bool sparse = model.isSparse(layer);
        double& dense = sparse ? denseOfSparse_ : denseOfDense_;
        if (dense > 0) {
            continue;
        }
        for (const Parameter& parameter : layerParameters(model, layer)) {
            if (!parameter.buffer) {
                const auto elements = static_cast<double>(parameter.elements());
                (parameter.part == Part::RoutedExperts ? experts_ : dense) += elements;
            }
        }
    }
}

const MemoryBound::States& MemoryBound::states(const Candidate& candidate) {
    std::optional<States>& known = states_[candidate.settings];
    if (!known) {
        known.emplace();
        const Settings& settings = space_.settings[candidate.settings];
        if (settings.tuning == Tuning::Full) {
            for (const StatePart& part : stateBytes(settings, candidate.layout).parts) {
                if (part.place != StatePlace::Device) {
                    continue;
                }
                (part.sharded ? known->split : known->whole) += part.bytes;
                if (part.name == "weights" || part.name == "master" || part.name == "moments") {
                    (part.sharded ? known->splitBetween : known->wholeBetween) += part.bytes;
                }
            }
        }
    }
    return *known;
}

const MemoryBound::FirstRank& MemoryBound::firstRank(const Candidate& candidate) {
    const Layout& layout = candidate.layout;
    const std::size_t folded = isFolded(layout.schedule) ? 1 : 0;
    std::optional<FirstRank>& known = firstRanks_[2 * candidate.settings + folded];
    if (known) {
        return *known;
    }
    known.emplace();
    const auto layers = splitLayers(task_.base.model.layers,
                                    {.stages = layout.pp,
                                     .chunks = layout.vpp,
                                     .pipeline = space_.settings[candidate.settings].pipeline});
    std::int64_t first = 0;
    bool any = false;
    for (std::size_t chunk = 0; layers && chunk < layers->size(); ++chunk) {
        std::int64_t sparse = 0;
        const std::int64_t count = (*layers)[chunk];
        for (std::int64_t layer = first; layer < first + count; ++layer) {
            sparse += task_.base.model.isSparse(layer) ? 1 : 0;
        }
        first += count;
        if (!isOnRank(layout, static_cast<std::int64_t>(chunk), 0)) {
            continue;
        }
        known->dense += count - sparse;
        known->sparse += sparse;
        known->leastDense = any ? std::min(known->leastDense, count - sparse) : count - sparse;
        known->leastSparse = any ? std::min(known->leastSparse, sparse) : sparse;
        any = true;
    }
    return *known;
}

std::int64_t MemoryBound::inFlight(const Candidate& candidate) {
    const Layout& layout = candidate.layout;
    if (layout.pp == 1) {
        return 1;
    }
    const std::int64_t count = task_.base.workload.globalBatch / (layout.dp * layout.microBatch);
    const OrderKey key{
        candidate.stack, layout.schedule, layout.pp, layout.vpp, count, layout.scheduleGroup};
    if (const auto known = inFlight_.find(key); known != inFlight_.end()) {
        return known->second;
    }
    scratch_.stack = std::string(task_.stacks[candidate.stack].stack->name);
    scratch_.layout = layout;
    scratch_.settings = space_.settings[candidate.settings];
    const auto order = pipelineOrder(scratch_, 0);
    return inFlight_.emplace(key, order ? mostInFlight(*order) : 0).first->second;
}

std::int64_t MemoryBound::runtimeBytes(const Candidate& candidate) {
    scratch_.layout = candidate.layout;
    const RuntimeOverhead overhead = runtimeOverhead(scratch_);
    return (overhead.context.lo + overhead.collectives.lo).count();
}

std::int64_t MemoryBound::sum(const Candidate& candidate, std::int64_t dense, std::int64_t sparse) {
    const Layout& layout = candidate.layout;
    const FirstRank& rank = firstRank(candidate);
    const States& states = this->states(candidate);
    const auto layers = [](std::int64_t count) { return static_cast<double>(count); };
    const double own = (layers(rank.dense) * denseOfDense_ + layers(rank.sparse) * denseOfSparse_) /
                       static_cast<double>(layout.tp);
    const double experts =
        layers(rank.sparse) * experts_ / static_cast<double>(layout.ep * layout.etp);
    const auto shards = static_cast<double>(shardSize(layout));
    const auto expertShards = static_cast<double>(expertShardSize(layout, layout.expertReplicas()));
    const auto held = [&](double whole, double split) {
        return own * (whole + split / shards) + experts * (whole + split / expertShards);
    };
    const double kept =
        static_cast<double>(inFlight(candidate)) *
        (layers(rank.leastDense) * layers(dense) + layers(rank.leastSparse) * layers(sparse));
    const double most = std::max(held(states.whole, states.split),
                                 held(states.wholeBetween, states.splitBetween) + kept);
    constexpr double kBeyond = 4e18;
    return static_cast<std::int64_t>(std::min(most, kBeyond)) + runtimeBytes(candidate);
}

std::int64_t MemoryBound::bytes(const Candidate& candidate) {
    const Layout& layout = candidate.layout;
    const double tokens = static_cast<double>(layout.microBatch) *
                          static_cast<double>(task_.base.workload.sequence / layout.cp) /
                          static_cast<double>(layout.sp ? layout.tp : 1);
    const Dtype compute = space_.settings[candidate.settings].precision.compute;
    const double input = tokens * static_cast<double>(task_.base.model.hidden) *
                         static_cast<double>(bytesPerElement(compute));
    const auto least = static_cast<std::int64_t>(std::min(input, 1e15));
    return sum(candidate, least, least);
}

std::int64_t MemoryBound::bytes(const Candidate& candidate, const BlockCost& cost) {
    return sum(candidate, cost.savedDense, cost.savedSparse);
}

}  // namespace fabricast
