#include "planner/search/layers_in_flight.h"

#include "planner/base/integers.h"
#include "planner/sharding/stage_shape.h"

#include <algorithm>
#include <string>

namespace fabricast {

namespace {

/// Microbatches beyond these change an order only where all forwards run first: in whole cycles of
/// the pipeline the rest repeats.
std::int64_t countedMicroBatches(const Layout& layout, std::int64_t count) {
    constexpr std::int64_t kCycles = 3;
    const bool runsAll =
        layout.schedule == ScheduleKind::Gpipe || layout.schedule == ScheduleKind::LoopedBfs;
    const std::int64_t most = kCycles * std::max(layout.scheduleGroup, layout.pp);
    return std::max<std::int64_t>(1, runsAll && layout.pp > 1 ? count : std::min(count, most));
}

void addWeights(WeightCount& sum, const WeightCount& weights) {
    sum.own += weights.own;
    sum.experts += weights.experts;
}

}  // namespace

/// One of a rank, and where it stands in the rank's order.
struct LayersInFlight::Chunk {
    WeightCount weights;
    double dense = 0.0;
    double sparse = 0.0;
    bool first = false;
    bool last = false;
    std::int64_t waiting = 0;    ///< microbatches
    std::int64_t backwards = 0;  ///< still to come
    bool began = false;
    bool turned = false;  ///< had a backward
};

LayersInFlight::LayersInFlight(const SearchTask& task,
                               const ModelWeightCounts& weights,
                               LayerSplits& splits)
    : task_(task), weights_(weights), splits_(splits), scratch_(task.base) {}

std::vector<LayersInFlight::Chunk> LayersInFlight::chunksOf(const Layout& layout,
                                                            const std::vector<std::int64_t>& layers,
                                                            std::int64_t rank) const {
    std::vector<Chunk> chunks;
    std::int64_t first = 0;
    for (std::size_t place = 0; place < layers.size(); ++place) {
        const std::int64_t count = layers[place];
        const std::int64_t sparse = splits_.sparse(first, count);
        first += count;
        if (!isOnRank(layout, static_cast<std::int64_t>(place), rank)) {
            continue;
        }
        Chunk chunk{.weights = weights_.ofLayers(count - sparse, sparse),
                    .dense = asDouble(count - sparse),
                    .sparse = asDouble(sparse),
                    .first = place == 0,
                    .last = place + 1 == layers.size()};
        chunk.weights.own += chunk.first ? weights_.embedding() : 0.0;
        chunk.weights.own += chunk.last ? weights_.head() : 0.0;
        chunks.push_back(chunk);
    }
    return chunks;
}

namespace {

/// The rank as its chunks now are.
template <class Chunk>
RankInFlight rankOf(const std::vector<Chunk>& chunks) {
    RankInFlight rank;
    for (const Chunk& chunk : chunks) {
        const double waiting = asDouble(chunk.waiting);
        addWeights(rank.weights, chunk.weights);
        rank.dense += waiting * chunk.dense;
        rank.sparse += waiting * chunk.sparse;
        rank.sent += chunk.last ? 0.0 : waiting;
        rank.received += chunk.first ? 0.0 : 1.0;
        if (chunk.began && chunk.backwards > 0) {
            addWeights(rank.gathered, chunk.weights);
            if (chunk.turned) {
                addWeights(rank.reduced, chunk.weights);
            }
        }
    }
    return rank;
}

/// How many passes have begun in this order when most layers wait for the first time.
template <class Chunk>
std::size_t fullestPlace(const std::vector<Chunk>& chunks, const PipelineOrder& order) {
    std::size_t fullest = 0;
    double waiting = 0.0;
    double most = 0.0;
    for (std::size_t place = 0; place < order.actions.size(); ++place) {
        const PipelineAction& action = order.actions[place];
        const Chunk& chunk = chunks[static_cast<std::size_t>(action.chunk)];
        const double layers = chunk.dense + chunk.sparse;
        const std::int64_t held = place == 0 ? order.held : 0;
        waiting += action.forward ? asDouble(1 + held) * layers : -layers;
        if (action.forward && waiting > most) {
            most = waiting;
            fullest = place + 1;
        }
    }
    return fullest;
}

/// The rank when most layers wait, in this order.
template <class Chunk>
RankInFlight fullestOf(std::vector<Chunk> chunks, const PipelineOrder& order) {
    const auto fullest =
        order.actions.begin() + static_cast<std::ptrdiff_t>(fullestPlace(chunks, order));
    for (auto action = order.actions.begin(); action != fullest; ++action) {
        Chunk& chunk = chunks[static_cast<std::size_t>(action->chunk)];
        chunk.began = true;
        chunk.turned = chunk.turned || !action->forward;
        const std::int64_t held = action == order.actions.begin() ? order.held : 0;
        chunk.waiting += action->forward ? 1 + held : -1;
    }
    for (auto action = fullest; action != order.actions.end(); ++action) {
        chunks[static_cast<std::size_t>(action->chunk)].backwards += action->forward ? 0 : 1;
    }
    return rankOf(chunks);
}

}  // namespace

std::vector<RankInFlight> LayersInFlight::workOut(const Layout& layout,
                                                  const Settings& settings,
                                                  OrderKey key) {
    scratch_.stack = std::string(task_.stacks[key.stack].stack->name);
    scratch_.layout = layout;
    scratch_.settings.pipeline = settings.pipeline;
    std::vector<RankInFlight> ranks;
    const auto layers = splits_.of(key.stack, scratch_);
    if (!layers) {
        return ranks;
    }
    std::int64_t done = -1;
    for (const std::int64_t rank : splits_.fullestRanks(layout, **layers)) {
        if (rank <= done) {
            continue;
        }
        const Result<PipelineOrder> order = pipelineOrder(scratch_, rank);
        if (!order) {
            return {};
        }
        done = rank;
        ranks.push_back(fullestOf(chunksOf(layout, **layers, rank), *order));
        ranks.back().walked =
            static_cast<double>(order->actions.size()) / 2.0 / static_cast<double>(layout.vpp) +
            asDouble(order->held) / static_cast<double>(layout.vpp);
    }
    return ranks;
}

const std::vector<RankInFlight>& LayersInFlight::of(std::uint32_t stack,
                                                    const Layout& layout,
                                                    const Settings& settings) {
    scratch_.layout = layout;
    const OrderKey key{.stack = stack,
                       .schedule = layout.schedule,
                       .pp = layout.pp,
                       .vpp = layout.vpp,
                       .group = layout.scheduleGroup,
                       .count = countedMicroBatches(layout, scratch_.microBatches())};
    const auto found = known_.find(key);
    return found != known_.end()
               ? found->second
               : known_.emplace(key, workOut(layout, settings, key)).first->second;
}

}  // namespace fabricast
