#pragma once
#include "cli/calibrate_fit.h"
#include "cli/calibrate_run.h"
#include "planner/io/measurements.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// All that calibrate has to say: what was measured, with which spread, what was fitted from it
/// with which residuals, and what to do next.
struct CalibrationReport {
    std::vector<EngineOutcome> engines;  ///< those that ran; none where records were read
    std::vector<std::string> records;    ///< as a command names them
    MergedMeasurements measured;
    std::optional<CalibratedProfile> profile;
    std::string notFitted;  ///< why there is no profile
    std::vector<std::string> remarks;
};

std::string calibrationText(const CalibrationReport& report);
/// "fabricast.calibration/1".
std::string calibrationJson(const CalibrationReport& report);

/// --dry-run: the commands, and the points that each would measure; with `names` each by its name.
std::string dryText(const std::vector<PlannedRun>& runs, bool names);
/// The same in "fabricast.calibration/1"; the points always by their names.
std::string dryJson(const std::vector<PlannedRun>& runs, const std::vector<std::string>& remarks);

}  // namespace fabricast
