#pragma once
#include "planner/backtest/published_run.h"
#include "planner/base/result.h"

namespace fabricast {

/// Whether every count of a row could be one of a training run. Larger ones are mistakes of typing,
/// which would take longer to forecast than anyone waits.
Result<void> checkLimits(const PublishedRun& run);

}  // namespace fabricast
