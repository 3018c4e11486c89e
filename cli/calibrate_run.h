#pragma once
#include "cli/calibrate_plan.h"
#include "cli/exit_code.h"
#include "cli/global_options.h"

#include <string>
#include <vector>

namespace fabricast {

/// How measuring went: which records there are now, and what is worth saying.
struct CalibrateOutcome {
    std::vector<std::string> records;
    std::vector<std::string> remarks;
    ExitCode code = ExitCode::Ok;
};

/// Runs the probes one after another, each within its part of the time that is left; who finishes
/// early leaves the rest to the others. Ctrl-C ends the one that runs, and the rest do not begin.
/// A probe that fails or stalls is told of, and does not keep the others from their turn.
CalibrateOutcome runCalibration(const CalibratePlan& plan,
                                const CalibrateRequest& request,
                                const GlobalOptions& options);

/// --dry-run: the commands, and the points that each would measure.
Result<std::string> listCalibration(const CalibratePlan& plan,
                                    const CalibrateRequest& request,
                                    const GlobalOptions& options);

}  // namespace fabricast
