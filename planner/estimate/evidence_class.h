#pragma once
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// What a forecast of the step rests on, from the coarsest to the finest: whose software, and what
/// kind of model. StepIntervals says how sure each class is.
///     "all/transformer-engine/dense"
std::string evidenceClass(const Scenario& scenario);

}  // namespace fabricast
