#include "planner/schedule/rank_actions.h"

namespace fabricast {

// Breadth first (Lamy-Poirier, 2023): a stage runs all its microbatches before the next one starts,
// and the backwards come back in exactly the opposite order.
StageActions loopedBfsActions(const PipelineShape& shape, std::int64_t rank) {
    const std::int64_t total = shape.chunks * shape.microBatches;
    StageActions actions;
    actions.reserve(static_cast<std::size_t>(2 * total));
    for (std::int64_t step = 0; step < total; ++step) {
        actions.push_back(
            {static_cast<std::int32_t>(step / shape.microBatches * shape.ranks + rank),
             static_cast<std::int32_t>(step % shape.microBatches),
             Pass::Forward});
    }
    for (std::int64_t step = total; step-- > 0;) {
        StageAction backward = actions[static_cast<std::size_t>(step)];
        backward.pass = Pass::Backward;
        actions.push_back(backward);
    }
    return actions;
}

}  // namespace fabricast
