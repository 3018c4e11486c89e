#include "planner/schedule/rank_actions.h"

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

}  // namespace fabricast
