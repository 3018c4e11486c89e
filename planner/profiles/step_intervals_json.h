#pragma once
#include "planner/base/result.h"
#include "planner/evidence/step_intervals.h"
#include "planner/text/json_document.h"

#include <string>

namespace fabricast {

/// A file of hardware_profiles/intervals.
Result<StepIntervals> readStepIntervals(const JsonValue& root);
std::string stepIntervalsJson(const StepIntervals& intervals, const std::string& name);

}  // namespace fabricast
