#pragma once
#include "planner/backtest/published_run.h"
#include "planner/backtest/run_catalog.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/backtest_result.h"

#include <cstddef>
#include <functional>
#include <stop_token>
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

}  // namespace fabricast
