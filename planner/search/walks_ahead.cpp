#include "planner/search/walks_ahead.h"

#include "planner/base/parallel_map.h"

#include <algorithm>
#include <tuple>

namespace fabricast {

WalksAhead::WalksAhead(const SearchTask& task,
                       const SearchSpace& space,
                       const std::vector<BorrowedWork>& work,
                       std::size_t threads)
    : space_(&space), work_(&work), benches_(threads < 2 ? 0 : threads, {task, space}) {}

void WalksAhead::wait(const TimedLayout& layout) {
    if (!benches_.empty()) {
        waiting_.insert(layout);
    }
}

void WalksAhead::comesUp(const TimedLayout& layout,
                         const DistinctPlans& rows,
                         const Room& room,
                         const Watch& watch) {
    if (waiting_.erase(layout) == 0) {
        return;
    }
    const std::vector<Walk> next = nextWalks(layout, rows, room);
    if (next.size() < 2) {
        return;
    }
    std::vector<std::size_t> places(next.size());
    for (std::size_t place = 0; place < places.size(); ++place) {
        places[place] = place;
    }
    const auto walk = [&](std::size_t place) {
        const auto& [candidate, most] = next[place];
        const auto scenario = benches_[place].of(candidate);
        return scenario && memoriesOf(candidate).ofFullestStage(**scenario, most, watch);
    };
    parallelMap(places, walk, {.threads = places.size()});
}

std::vector<WalksAhead::Walk> WalksAhead::nextWalks(const TimedLayout& layout,
                                                    const DistinctPlans& rows,
                                                    const Room& room) {
    using Same = std::tuple<const LayoutMemories*, LayoutMemories::Key, std::uint16_t>;
    std::vector<Walk> next;
    std::vector<Same> walks;
    const auto add = [&](const TimedLayout& one) {
        const auto scenario = benches_.front().of(one.candidate);
        if (!scenario || rows.leavesOut(**scenario, one.value)) {
            return;
        }
        const std::optional<Bytes> most = room(one.candidate, **scenario);
        const LayoutMemories& memories = memoriesOf(one.candidate);
        Same walk{&memories, LayoutMemories::keyOf(**scenario), one.candidate.recompute};
        if (most && std::ranges::find(walks, walk) == walks.end() &&
            !memories.knows(**scenario, *most)) {
            walks.push_back(std::move(walk));
            next.push_back({one.candidate, *most});
        }
    };
    add(layout);
    for (auto one = waiting_.begin(); one != waiting_.end() && !next.empty(); ++one) {
        if (next.size() == benches_.size()) {
            break;
        }
        add(*one);
    }
    return next;
}

LayoutMemories& WalksAhead::memoriesOf(const Candidate& candidate) const {
    return *(*work_)[space_->families[candidate.family].stack]->memories;
}

}  // namespace fabricast
