#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/comparison.h"
#include "study/question.h"
#include "study/workbench.h"

#include <span>

namespace fabricast {

/// Marks the settings and layout keys of a comparison that change nothing on any of its sides: each
/// side is forecast again with the value of every other one, and neither its memory nor its step
/// moves. What is refused there has an effect. `questions` are those of the sides, in their order.
Result<void> markEffects(std::span<const Question> questions,
                         const Workbench& bench,
                         const Watch& watch,
                         Comparison& comparison);

}  // namespace fabricast
