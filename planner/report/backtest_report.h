#pragma once
#include "planner/report/report.h"
#include "planner/result/backtest_result.h"

#include <string>

namespace fabricast {

/// How far forecasts were off, for people: a line per group, and what was refused. A screen of it,
/// or with `everyReason` all of it.
Report backtestReport(const Backtest& backtest, bool everyReason);
std::string backtestMarkdown(const Backtest& backtest);
/// A line per row of the file.
std::string backtestCsv(const Backtest& backtest);

}  // namespace fabricast
