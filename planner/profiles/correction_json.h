#pragma once
#include "planner/base/result.h"
#include "planner/evidence/machine_correction.h"
#include "planner/evidence/step_intervals.h"
#include "planner/text/json_document.h"

#include <string>

namespace fabricast {

/// A file of a folder corrections/: "fabricast.correction/3", /2 without its runs, or /1, which
/// has two factors.
Result<MachineCorrection> readMachineCorrection(const JsonValue& root);
std::string machineCorrectionJson(const MachineCorrection& correction, const std::string& name);

/// A file of hardware_profiles/intervals.
Result<StepIntervals> readStepIntervals(const JsonValue& root);
std::string stepIntervalsJson(const StepIntervals& intervals, const std::string& name);

}  // namespace fabricast
