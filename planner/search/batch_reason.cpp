#include "planner/base/checked.h"
#include "planner/search/batch_steps.h"
#include "planner/search/family_refusals.h"

#include <utility>

namespace fabricast {
Result<bool> takesAny(const SearchTask& task, const Watch& watch) {
    FABRICAST_ASSIGN(const SearchSpace space, enumerateLayouts(task, watch));
    CandidateScenarios scenarios(task, space);
    FamilyRefusals refusals(space, scenarios);
    const auto none = [](const Error&) { return false; };
    std::string why;
    for (std::uint32_t family = 0; family < space.families.size(); ++family) {
        FABRICAST_TRY(watch.check());
        if (refusals.takesAny(family, why, none)) {
            return true;
        }
    }
    return false;
}

Result<std::string> reasonWithBatch(const SearchTask& task,
                                    std::uint32_t stack,
                                    std::string why,
                                    const Watch& watch) {
    const std::int64_t gpus = task.base.cluster.gpus();
    const std::int64_t batch = task.base.workload.globalBatch;
    if (batch % gpus == 0) {
        return why;
    }
    SearchTask divided{.base = task.base, .stacks = {task.stacks[stack]}, .rules = task.rules};
    divided.base.workload.globalBatch = gpus;  // one sample for each rank, whatever dp is
    FABRICAST_ASSIGN(const bool isBatch, takesAny(divided, watch));
    return isBatch ? "no layout that it takes has a dp that divides a global batch of " +
                         std::to_string(batch)
                   : std::move(why);
}

}  // namespace fabricast
