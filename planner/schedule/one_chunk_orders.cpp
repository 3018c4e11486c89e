#include "planner/schedule/rank_actions.h"

#include <algorithm>

namespace fabricast {

// All forwards, then all backwards, in the order of the microbatches (Huang et al., 2019).
StageActions gpipeActions(const PipelineShape& shape, std::int64_t rank) {
    const auto stage = static_cast<std::int32_t>(rank);
    const auto count = static_cast<std::int32_t>(shape.microBatches);
    StageActions actions;
    actions.reserve(static_cast<std::size_t>(2 * shape.microBatches));
    for (const Pass pass : {Pass::Forward, Pass::Backward}) {
        for (std::int32_t microBatch = 0; microBatch < count; ++microBatch) {
            actions.push_back({stage, microBatch, pass});
        }
    }
    return actions;
}

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

// ZB-H2 (Qi et al., 2023, "ZB2P"): twice 1F1B's forwards ahead, 2(p-r)-1 of them, and weight
// gradients 2r input gradients late, so that no rank waits where F = I = W. A weight gradient goes
// before the next forward: at most 2p-1 microbatches are kept.
StageActions zbH2Actions(const PipelineShape& shape, std::int64_t rank) {
    const auto stage = static_cast<std::int32_t>(rank);
    const auto count = static_cast<std::int32_t>(shape.microBatches);
    const auto ahead =
        static_cast<std::int32_t>(std::min(2 * (shape.ranks - rank) - 1, shape.microBatches));
    const auto late = static_cast<std::int32_t>(std::min(2 * rank, shape.microBatches));
    StageActions actions;
    actions.reserve(static_cast<std::size_t>(3 * shape.microBatches));
    for (std::int32_t microBatch = 0; microBatch < ahead; ++microBatch) {
        actions.push_back({stage, microBatch, Pass::Forward});
    }
    for (std::int32_t microBatch = 0; microBatch < count; ++microBatch) {
        actions.push_back({stage, microBatch, Pass::InputGradient});
        if (microBatch >= late) {
            actions.push_back({stage, microBatch - late, Pass::WeightGradient});
        }
        if (ahead + microBatch < count) {
            actions.push_back({stage, ahead + microBatch, Pass::Forward});
        }
    }
    for (std::int32_t microBatch = count - late; microBatch < count; ++microBatch) {
        actions.push_back({stage, microBatch, Pass::WeightGradient});
    }
    return actions;
}

}  // namespace fabricast
