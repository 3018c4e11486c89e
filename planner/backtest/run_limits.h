#pragma once
#include "planner/backtest/published_run.h"
#include "planner/base/result.h"

namespace fabricast {

/// Whether every count of a row could be one of a training run. Larger ones are mistakes of typing,
/// which would take longer to forecast than anyone waits.
Result<void> checkLimits(const PublishedRun& run);

/// By its counts alone, of one core of a small machine: what one pass of one stage adds to a row.
struct RowCost {
    double row = 2.6e-3;
    double pass = 4e-6;
};
inline constexpr RowCost kForecastCost = {};
inline constexpr RowCost kSimulationCost = {.row = 3.5e-3, .pass = 30e-6};
/// Seconds of a row; of one that is refused as much as nothing.
double expectedSeconds(const PublishedRun& run, const RowCost& cost);

}  // namespace fabricast
