#include "planner/schedule/rank_actions.h"

#include <algorithm>

namespace fabricast {

// PipeDream-Flush: p-r-1 forwards ahead, then one forward and one backward in turn. Megatron's
// non-interleaved schedule, torch's Schedule1F1B and DeepSpeed's TrainSchedule are this order.
StageActions oneFOneBActions(const PipelineShape& shape, std::int64_t rank) {
    const auto stage = static_cast<std::int32_t>(rank);
    const auto count = static_cast<std::int32_t>(shape.microBatches);
    const auto ahead =
        static_cast<std::int32_t>(std::min(shape.ranks - rank - 1, shape.microBatches));
    StageActions actions;
    actions.reserve(static_cast<std::size_t>(2 * shape.microBatches));
    for (std::int32_t microBatch = 0; microBatch < ahead; ++microBatch) {
        actions.push_back({stage, microBatch, Pass::Forward});
    }
    for (std::int32_t microBatch = 0; microBatch < count; ++microBatch) {
        if (ahead + microBatch < count) {
            actions.push_back({stage, ahead + microBatch, Pass::Forward});
        }
        actions.push_back({stage, microBatch, Pass::Backward});
    }
    return actions;
}

}  // namespace fabricast
