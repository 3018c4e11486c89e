#pragma once
#include "planner/base/result.h"
#include "planner/io/json_document.h"
#include "planner/spec/step_intervals.h"

#include <string>

namespace fabricast {

/// A file of hardware_profiles/intervals.
Result<StepIntervals> readStepIntervals(const JsonValue& root);
std::string stepIntervalsJson(const StepIntervals& intervals, const std::string& name);

}  // namespace fabricast
