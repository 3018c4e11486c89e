#pragma once
#include "planner/backtest/published_run.h"
#include "planner/backtest/run_scenario.h"
#include "planner/base/result.h"
#include "planner/stack/stack.h"

namespace fabricast {

/// The supported stack that is the row's software, or is closest to it.
Result<const Stack*> stackOf(const PublishedRun& run);

/// How that software ran: the stack's defaults, the row's precision, recompute, optimizer and
/// tuning, and what its family does differently.
Result<void> applySettings(const PublishedRun& run, const Stack& stack, RunScenario& result);

}  // namespace fabricast
