#include "planner/search/layout_memories.h"

#include "planner/memory/memory_of_stages.h"
#include "planner/memory/program/pipeline_order.h"

#include <algorithm>

namespace fabricast {

Result<MemoryBreakdown> LayoutMemories::ofFullestStage(const Scenario& scenario,
                                                       Bytes most,
                                                       const Watch& watch) {
    Key key{scenario.layout, microBatchesSeen(scenario)};
    key.first.placement = RankPlacement::DpInside;  // which nodes ranks lie on changes no memory
    {
        const std::scoped_lock guard(*lock_);
        for (const Walked& walked : found_[key]) {
            if (walked.answers(scenario, most)) {
                return walked.memory;
            }
        }
    }
    FABRICAST_ASSIGN(MemoryBreakdown memory, memoryOfFullestStage(scenario, most, watch));
    const std::scoped_lock guard(*lock_);
    ++walks_;
    found_[key].push_back({scenario.settings, most, memory});
    return memory;
}

}  // namespace fabricast
