#pragma once
#include "planner/report/report.h"
#include "planner/report/table.h"
#include "planner/result/backtest_result.h"
#include "planner/result/machine_fit.h"
#include "planner/text/json_text.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// How far forecasts were off, for people: a line per group, and what was refused. A screen of it,
/// or with `everyReason` all of it.
Report backtestReport(const Backtest& backtest, bool everyReason);
std::string backtestMarkdown(const Backtest& backtest);
/// A line per row of the file.
std::string backtestCsv(const Backtest& backtest);

/// "fabricast.backtest/1": a summary of all rows and of each group, then every row.
std::string backtestJson(const Backtest& backtest, std::string_view version);

/// What the fits of machines found, for people: a line per GPU, then its factors.
std::string machineFitText(const std::vector<MachineFit>& fits);
/// An array "fits".
void addMachineFits(JsonText& json, const std::vector<MachineFit>& fits);

}  // namespace fabricast
