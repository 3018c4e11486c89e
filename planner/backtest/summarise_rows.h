#pragma once
#include "planner/result/backtest_result.h"

namespace fabricast {

/// Fills `all` and `groups` from the rows that count.
void summariseRows(Backtest& backtest);

}  // namespace fabricast
