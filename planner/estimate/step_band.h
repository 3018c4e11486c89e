#pragma once
#include "planner/base/units.h"
#include "planner/result/evidence.h"
#include "planner/spec/step_intervals.h"

#include <algorithm>

namespace fabricast {

// How far a forecast step time is from the truth: what the backtest found for such evidence
// (hardware_profiles/intervals). These two are for profiles without intervals: 79 % of the
// published runs lie between value / kStepBelow and value * kStepAbove.
inline constexpr double kStepBelow = 1.20;
inline constexpr double kStepAbove = 1.25;

/// A step time with its 80 % interval, which always holds the forecast itself.
inline Headline<Seconds> stepHeadline(Seconds value, const StepInterval* interval) {
    const double below = interval != nullptr ? interval->below : 1.0 / kStepBelow;
    const double above = interval != nullptr ? interval->above : kStepAbove;
    return {.value = value,
            .lo = value * std::min(1.0, below),
            .hi = value * std::max(1.0, above),
            .evidence = Evidence::Modelled};
}

}  // namespace fabricast
