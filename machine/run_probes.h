#pragma once
#include "machine/calibration_plan.h"
#include "planner/base/watch.h"

#include <string>
#include <vector>

namespace fabricast {

/// How one probe ended.
struct EngineOutcome {
    enum class Status {
        Measured,
        Interrupted,
        NotBegun,  ///< a probe before it was interrupted
        WrongResults,
        BadInput,
        Failed,
        Stalled,
        OutOfTime
    };
    std::string engine;
    std::string record;
    Status status = Status::NotBegun;
    std::string why{};  ///< empty where it measured everything
};

/// How measuring went: which records there are now, and remarks for the user.
struct ProbesOutcome {
    std::vector<EngineOutcome> engines;
    std::vector<std::string> records;
    std::vector<std::string> remarks;
};

/// Runs the probes one after another, each within its share of the remaining time: a probe that
/// finishes early gives its time to the others. A stop ends the running probe, and the rest are not
/// started. A probe that fails or stalls is reported, and the others still run.
ProbesOutcome runProbes(const CalibrationPlan& plan, const MeasureAsk& ask, const Watch& watch);

/// What a probe would measure.
struct PlannedRun {
    std::string engine;
    std::vector<std::string> command;  ///< that lists the points
    std::vector<std::string> points;
    std::string record;
};
Result<std::vector<PlannedRun>> listPoints(const CalibrationPlan& plan,
                                           const MeasureAsk& ask,
                                           const Watch& watch);

}  // namespace fabricast
