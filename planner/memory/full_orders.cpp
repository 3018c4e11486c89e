#include "planner/memory/stage_memory.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

namespace fabricast {

namespace {

/// Where an order may take most. Whatever the chunk, a pass takes as much above what is in flight.
/// Gathered weights and gradients only become more until a chunk's last backward. So no pass takes
/// more than one when most is in flight and all chunks have both, but those that gather a chunk's
/// weights or reduce its gradients, beside what is in flight then.
struct FullMoments {
    bool isFull = false;         ///< a forward and a backward run when all of it is there
    std::int64_t gathering = 0;  ///< most in flight before a chunk's first forward
    std::int64_t reducing = 0;   ///< and before a chunk's last backward
};

struct ChunkPasses {
    std::int64_t forwards = 0;
    std::int64_t backwards = 0;
    std::int64_t left = 0;  ///< backwards
};

std::vector<ChunkPasses> passesToCome(const PipelineOrder& order) {
    std::vector<ChunkPasses> chunks;
    for (const PipelineAction& action : order.actions) {
        const auto chunk = static_cast<std::size_t>(action.chunk);
        chunks.resize(std::max(chunks.size(), chunk + 1));
        chunks[chunk].left += action.forward ? 0 : 1;
    }
    return chunks;
}

FullMoments momentsOf(const PipelineOrder& order) {
    FullMoments moments;
    std::vector<ChunkPasses> chunks = passesToCome(order);
    const std::int64_t most = mostInFlight(order);
    std::int64_t alive = order.held;
    bool allThere = false;
    for (const PipelineAction& action : order.actions) {
        ChunkPasses& chunk = chunks[static_cast<std::size_t>(action.chunk)];
        if (action.forward) {
            moments.gathering = std::max(moments.gathering, chunk.forwards++ == 0 ? alive : 0);
            allThere = ++alive == most && std::ranges::all_of(chunks, [](const ChunkPasses& one) {
                return one.backwards > 0 && one.left > 0;
            });
            continue;
        }
        moments.isFull = moments.isFull || (allThere && chunk.left > 1);
        allThere = false;
        ++chunk.backwards;
        moments.reducing = std::max(moments.reducing, --chunk.left == 0 ? alive : 0);
        --alive;
    }
    return moments;
}

}  // namespace

std::vector<std::size_t> fullestOrders(const std::vector<PipelineOrder>& orders) {
    std::set<std::size_t> places;
    std::vector<std::pair<std::size_t, FullMoments>> full;
    for (std::size_t place = 0; place < orders.size(); ++place) {
        if (const FullMoments moments = momentsOf(orders[place]); moments.isFull) {
            full.emplace_back(place, moments);
        } else {
            places.insert(place);
        }
    }
    if (!full.empty()) {
        const auto firstOfMost = [&full](std::int64_t FullMoments::*moment) {
            return std::ranges::max_element(
                       full, {}, [moment](const auto& one) { return one.second.*moment; })
                ->first;
        };
        places.insert(full.front().first);
        places.insert(firstOfMost(&FullMoments::gathering));
        places.insert(firstOfMost(&FullMoments::reducing));
    }
    return {places.begin(), places.end()};
}

}  // namespace fabricast
