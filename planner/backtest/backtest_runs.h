#pragma once
#include "planner/backtest/published_run.h"
#include "planner/backtest/run_catalog.h"
#include "planner/estimate/estimate_step.h"
#include "planner/evidence/step_intervals.h"
#include "planner/result/backtest_result.h"

#include <cstddef>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricast {

struct BacktestOptions {
    std::size_t threads = 1;
    StepModel model = estimateStep;
    bool everyRow = false;  ///< rows count that are not of the balanced subset, too
    std::function<void(std::size_t done, std::size_t all)> progress{};  ///< from any thread
    std::stop_token stop{};  ///< once it is requested there are no rows
};

/// Forecasts every run, in the order of the file, and the constant rate for comparison. The answer
/// does not depend on the number of threads.
///     Backtest backtest{.file = "runs.csv", .rows = backtestRows(runs, catalog, timing, {})};
///     summariseRows(backtest);
std::vector<BacktestRow> backtestRows(const std::vector<PublishedRun>& runs,
                                      const RunCatalog& catalog,
                                      const TimingProfiles& profiles,
                                      const BacktestOptions& options);

/// What a forecast must beat: the step at the median model FLOP/s per GPU that other sources
/// measured on the same GPU with the same stack, else on the same GPU. Fills `constantRateStep`.
void addConstantRate(std::vector<BacktestRow>& rows);

/// What rows say that can hardly be meant, though they are forecast as they stand: one id of
/// several rows, and a number of parameters that is not the model's.
///     "id \"a-1\" stands in 14 rows, and names none of them"
std::vector<std::string> doubtsOf(const std::vector<PublishedRun>& runs, const RunCatalog& catalog);

/// Intervals that four of five runs of *other* sources fall into (conformal). Per class of evidence
/// with at least 30 runs of two sources, and for all: quantiles of measured over forecast, where a
/// source counts with the root of its runs. Their tails are the widest at which, each source left
/// out in turn, 80 % of all runs lie in the intervals made from the others. Also fills the rows'
/// looseLo and looseHi from those. Without classes where no run counts.
StepIntervals fitIntervals(std::vector<BacktestRow>& rows);

}  // namespace fabricast
