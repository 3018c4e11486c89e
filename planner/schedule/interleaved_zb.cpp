#include "planner/schedule/interleaved_steps.h"
#include "planner/schedule/rank_actions.h"

#include <algorithm>

namespace fabricast {

// Qi et al., 2023 (ZB-H1, there with one chunk): (v-1)n + p-1-r forwards ahead, then a forward and
// an input gradient in turn; rank r starts its weight gradients r input gradients later, and has
// the last ones at its end.
StageActions interleavedZbActions(const PipelineShape& shape, std::int64_t rank) {
    const InterleavedSteps steps(shape, rank);
    const std::int64_t total = steps.total();
    const std::int64_t ahead =
        std::min((shape.chunks - 1) * shape.group + shape.ranks - 1 - rank, total);
    StageActions actions;
    actions.reserve(static_cast<std::size_t>(3 * total));
    for (std::int64_t step = 0; step < ahead; ++step) {
        actions.push_back(steps.stepAt(step, Pass::Forward));
    }
    for (std::int64_t step = 0; step < total; ++step) {
        if (ahead + step < total) {
            actions.push_back(steps.stepAt(ahead + step, Pass::Forward));
        }
        actions.push_back(steps.stepAt(step, Pass::InputGradient));
        if (step >= rank) {
            actions.push_back(steps.stepAt(step - rank, Pass::WeightGradient));
        }
    }
    for (std::int64_t step = std::max<std::int64_t>(0, total - rank); step < total; ++step) {
        actions.push_back(steps.stepAt(step, Pass::WeightGradient));
    }
    return actions;
}

}  // namespace fabricast
