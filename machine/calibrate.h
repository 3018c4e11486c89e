#pragma once
#include "machine/calibration.h"
#include "machine/calibration_plan.h"
#include "machine/run_probes.h"
#include "planner/base/watch.h"
#include "planner/measured/measurements.h"
#include "planner/measured/nccl_tests.h"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// Measure this machine, and make a profile of it.
struct CalibrationAsk {
    MeasureAsk measure;
    FitAsk fit;
};

/// What calibrating gave: how each probe ended, what was measured with which spread, what was
/// fitted from it with which residuals, and what to do next.
struct CalibrationReport {
    std::vector<EngineOutcome> engines;  ///< empty where only records were read
    std::vector<std::string> records;    ///< files, as a command names them
    std::vector<std::string> logs;       ///< of nccl-tests, where they are in no record
    std::int64_t ranks = 0;              ///< said of the logs; 0: they say it
    MeasureAsk measure{};                ///< of what was measured just now
    FitAsk fit;
    MergedMeasurements measured;
    std::optional<CalibratedProfile> profile;
    std::string notFitted;             ///< why there is no profile
    std::optional<Error::Code> fault;  ///< of a fit that failed though something was measured
    std::vector<std::string> remarks;
    std::size_t wrong = 0;  ///< points of records whose results were wrong

    [[nodiscard]] bool has(EngineOutcome::Status status) const;
};

/// Checks what can fail before minutes of measuring, runs the probes, and fits their records.
/// Whatever was measured is in the report, also where a probe failed or nothing could be fitted. A
/// stop keeps the records and fits nothing. An error: nothing was measured.
///     const auto report = calibrate({.measure = {.out = "run.jsonl"}}, store, {.stop = token});
Result<CalibrationReport> calibrate(const CalibrationAsk& ask,
                                    const ProfileStore& store,
                                    const Watch& watch);

/// What would be measured.
struct CalibrationPreview {
    std::vector<PlannedRun> runs;
    std::vector<std::string> remarks;
};
Result<CalibrationPreview> previewCalibration(const CalibrationAsk& ask,
                                              const ProfileStore& store,
                                              const Watch& watch);

/// Make a profile of earlier measurements: of records, or of logs of nccl-tests.
struct RefitAsk {
    std::vector<std::string> records;
    std::vector<std::string> logs;
    NcclTestsHint hint;  ///< what the logs may not say
    std::string out;     ///< a record file to write the logs' measurements to; may be empty
    FitAsk fit;
};
Result<CalibrationReport> refit(const RefitAsk& ask, const ProfileStore& store);

std::string calibrationText(const CalibrationReport& report);
/// "fabricast.calibration/1".
std::string calibrationJson(const CalibrationReport& report);
/// The commands, and how many points each would measure; with `names`, each point by its name.
std::string previewText(const CalibrationPreview& preview, bool names);
/// "fabricast.calibration/1", with the points by their names.
std::string previewJson(const CalibrationPreview& preview);

}  // namespace fabricast
