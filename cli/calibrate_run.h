#pragma once
#include "cli/calibrate_plan.h"
#include "cli/exit_code.h"
#include "cli/global_options.h"

#include <string>
#include <vector>

namespace fabricast {

/// How one probe ended.
struct EngineOutcome {
    enum class Status {
        Measured,
        Interrupted,
        NotBegun,  ///< the one before it was interrupted
        WrongResults,
        BadInput,
        Failed,
        Stalled,
        OutOfTime
    };
    std::string engine;
    std::string record;
    Status status = Status::NotBegun;
    std::string why;  ///< where it did not measure all
};

/// How measuring went: which records there are now, and what is worth saying.
struct CalibrateOutcome {
    std::vector<EngineOutcome> engines;
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

/// What a probe would measure.
struct PlannedRun {
    std::string engine;
    std::vector<std::string> command;  ///< that lists them
    std::vector<std::string> points;
    std::string record;
};
Result<std::vector<PlannedRun>> listCalibration(const CalibratePlan& plan,
                                                const CalibrateRequest& request,
                                                const GlobalOptions& options);

/// A command as it is typed.
std::string commandText(const std::vector<std::string>& command);

}  // namespace fabricast
