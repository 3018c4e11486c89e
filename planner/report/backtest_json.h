#pragma once
#include "planner/result/backtest_result.h"

#include <string>
#include <string_view>

namespace fabricast {

/// "fabricast.backtest/1": a summary of all rows and of each group, then every row.
std::string backtestJson(const Backtest& backtest, std::string_view version);

}  // namespace fabricast
