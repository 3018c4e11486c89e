#pragma once
#include "planner/base/parallel_map.h"
#include "planner/base/result.h"
#include "simulator/faults/play_run.h"

#include <functional>
#include <vector>

namespace fabricast {

/// How the runs differ in one number.
struct RunSpread {
    double mean = 0.0;
    double sd = 0.0;  ///< of one run
    double p5 = 0.0;
    double p50 = 0.0;
    double p95 = 0.0;
};
/// Between two of the values a percentile is on the line that joins them.
RunSpread spreadOf(std::vector<double> values);

struct StudyOptions {
    std::uint64_t seed = 1;
    std::int64_t runs = 200;
    std::size_t threads = 1;
    /// Asked from any thread: once it is true, the completed runs are the answer; may be empty.
    std::function<bool()> stopped{};
    /// Told how many are over, from any thread; may be empty.
    std::function<void(std::size_t done, std::size_t all)> progress{};
};

/// What many runs of one plan came to. The same for a seed, whatever the number of threads.
struct RunStudy {
    RunPlan plan;
    std::uint64_t seed = 1;
    std::int64_t asked = 0;
    std::int64_t runs = 0;  ///< that are over: fewer than asked where it was stopped
    RunSpread goodput;
    RunSpread wall;            ///< seconds
    RunSpread failures;        ///< of a run
    RunTimes mean;             ///< of all runs; its failures are rounded
    double closedShare = 1.0;  ///< closedGoodput at the mean step

    /// Of the means of the goodput and the wall time.
    [[nodiscard]] double goodputError() const;
    [[nodiscard]] double wallError() const;
    /// What the closed form has a run of these steps take on average.
    [[nodiscard]] Seconds closedWall() const;
    [[nodiscard]] double closedGoodput() const { return mean.useful / closedWall(); }
    /// Of the mean wall time over the closed form's, in standard errors; 0 where nothing differs.
    [[nodiscard]] double errorsOff() const;
};

/// Of one core of a small machine, to play so many runs; 0 of runs that make no progress, which are
/// refused.
double expectedSeconds(const RunPlan& plan, std::int64_t runs);

///     FABRICAST_ASSIGN(const RunStudy study, studyRuns(plan, {.seed = 7, .runs = 500}));
Result<RunStudy> studyRuns(const RunPlan& plan, const StudyOptions& options);

}  // namespace fabricast
