#include "planner/schedule/interleaved_steps.h"
#include "planner/schedule/rank_actions.h"

#include <algorithm>

namespace fabricast {
namespace {

/// `ahead` forwards, then a forward and a backward in turn, together where `paired`.
StageActions oneForOne(const InterleavedSteps& steps, std::int64_t ahead, bool paired) {
    const std::int64_t total = steps.total();
    StageActions actions;
    actions.reserve(static_cast<std::size_t>(2 * total));
    for (std::int64_t step = 0; step < ahead; ++step) {
        actions.push_back(steps.stepAt(step, Pass::Forward));
    }
    for (std::int64_t step = 0; step < total; ++step) {
        if (ahead + step < total) {
            actions.push_back(steps.stepAt(ahead + step, Pass::Forward));
            actions.back().paired = paired;
        }
        actions.push_back(steps.stepAt(step, Pass::Backward));
    }
    return actions;
}

/// 2(p-r-1) + (v-1)n forwards run before the first backward (Narayanan et al., 2021).
std::int64_t warmUp(const PipelineShape& shape, std::int64_t rank) {
    return 2 * (shape.ranks - rank - 1) + (shape.chunks - 1) * shape.group;
}

}  // namespace

StageActions interleavedActions(const PipelineShape& shape, std::int64_t rank) {
    const InterleavedSteps steps(shape, rank);
    return oneForOne(steps, std::min(warmUp(shape, rank), steps.total()), false);
}

StageActions interleavedPairActions(const PipelineShape& shape, std::int64_t rank) {
    const InterleavedSteps steps(shape, rank);
    return oneForOne(steps, std::min(warmUp(shape, rank) + 1, steps.total()), true);
}

}  // namespace fabricast
