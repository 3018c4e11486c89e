#include "planner/search/layout_memories.h"

#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/stage_memory.h"

#include <algorithm>

namespace fabricast {

LayoutMemories::Key LayoutMemories::keyOf(const Scenario& scenario) {
    Key key{scenario.layout, microBatchesSeen(scenario)};
    // Which nodes ranks lie on changes no memory, nor does how context ranks exchange keys.
    key.first.placement = RankPlacement::DpInside;
    key.first.cpKind = CpKind::Ring;
    return key;
}

const LayoutMemories::Walked* LayoutMemories::found(const Key& key,
                                                    const Scenario& scenario,
                                                    Bytes room) const {
    const auto walks = found_.find(key);
    if (walks == found_.end()) {
        return nullptr;
    }
    const auto walked = std::ranges::find_if(
        walks->second, [&](const Walked& one) { return one.answers(scenario, room); });
    return walked == walks->second.end() ? nullptr : &*walked;
}

bool LayoutMemories::knows(const Scenario& scenario, Bytes most) const {
    const Key key = keyOf(scenario);
    const std::scoped_lock guard(lock_);
    return found(key, scenario, roomForTensors(scenario, most)) != nullptr;
}

Result<MemoryBreakdown> LayoutMemories::ofFullestStage(const Scenario& scenario,
                                                       Bytes most,
                                                       const Watch& watch) {
    const Key key = keyOf(scenario);
    const Bytes room = roomForTensors(scenario, most);
    {
        const std::scoped_lock guard(lock_);
        if (const Walked* const known = found(key, scenario, room)) {
            return memoryOf(scenario, StageWalks(known->walks).upTo(room));
        }
    }
    FABRICAST_ASSIGN(StageWalks walks, walkFullestStage(scenario, room, watch));
    const std::scoped_lock guard(lock_);
    ++walks_;
    found_[key].push_back({scenario.settings, walks});
    return memoryOf(scenario, std::move(walks));
}

std::size_t LayoutMemories::size() const {
    const std::scoped_lock guard(lock_);
    return walks_;
}

}  // namespace fabricast
