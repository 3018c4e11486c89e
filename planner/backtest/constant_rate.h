#pragma once
#include "planner/result/backtest_result.h"

#include <vector>

namespace fabricast {

/// What a forecast must beat: the step at the median model FLOP/s per GPU that other sources
/// measured on the same GPU with the same stack, else on the same GPU. Fills `constantRateStep`.
void addConstantRate(std::vector<BacktestRow>& rows);

}  // namespace fabricast
