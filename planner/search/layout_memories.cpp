#include "planner/search/layout_memories.h"

#include "planner/memory/memory_of_stages.h"
#include "planner/memory/program/pipeline_order.h"

namespace fabricast {

Result<MemoryBreakdown> LayoutMemories::ofFullestStage(const Scenario& scenario,
                                                       Bytes most,
                                                       const Watch& watch) {
    Key key{scenario.layout, microBatchesSeen(scenario)};
    key.first.placement = RankPlacement::DpInside;  // which nodes ranks lie on changes no memory
    const Bytes room = roomForTensors(scenario, most);
    {
        const std::scoped_lock guard(lock_);
        for (const Walked& walked : found_[key]) {
            if (walked.answers(scenario, room)) {
                return memoryOf(scenario, StageWalks(walked.walks).upTo(room));
            }
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
