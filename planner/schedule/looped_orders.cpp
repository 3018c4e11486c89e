#include "planner/schedule/interleaved_steps.h"
#include "planner/schedule/rank_actions.h"

#include <algorithm>

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

namespace {

/// `ahead` forwards, then a forward and a backward in turn, together where `paired`.
StageActions oneForOne(const InterleavedSteps& steps, std::int64_t ahead, bool paired) {
    const std::int64_t total = steps.total();
    StageActions actions;
    actions.reserve(static_cast<std::size_t>(2 * total));
    for (std::int64_t step = 0; step < ahead; ++step) {
        steps.addStep(step, Pass::Forward, actions);
    }
    for (std::int64_t step = 0; step < total; ++step) {
        if (ahead + step < total) {
            steps.addStep(ahead + step, Pass::Forward, actions);
            actions.back().paired = paired;
        }
        steps.addStep(step, Pass::Backward, actions);
    }
    return actions;
}

/// 2(p-r-1) + (v-1)n forwards run before the first backward (Narayanan et al., 2021).
std::int64_t warmUpSteps(const PipelineShape& shape, std::int64_t rank) {
    return 2 * (shape.ranks - rank - 1) + (shape.chunks - 1) * shape.group;
}

}  // namespace

StageActions interleavedActions(const PipelineShape& shape, std::int64_t rank) {
    const InterleavedSteps steps(shape, rank);
    return oneForOne(steps, std::min(warmUpSteps(shape, rank), steps.total()), false);
}

StageActions interleavedPairActions(const PipelineShape& shape, std::int64_t rank) {
    const InterleavedSteps steps(shape, rank);
    return oneForOne(steps, std::min(warmUpSteps(shape, rank) + 1, steps.total()), true);
}

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
        steps.addStep(step, Pass::Forward, actions);
    }
    for (std::int64_t step = 0; step < total; ++step) {
        if (ahead + step < total) {
            steps.addStep(ahead + step, Pass::Forward, actions);
        }
        steps.addStep(step, Pass::InputGradient, actions);
        if (step >= rank) {
            steps.addStep(step - rank, Pass::WeightGradient, actions);
        }
    }
    for (std::int64_t step = std::max<std::int64_t>(0, total - rank); step < total; ++step) {
        steps.addStep(step, Pass::WeightGradient, actions);
    }
    return actions;
}

}  // namespace fabricast
