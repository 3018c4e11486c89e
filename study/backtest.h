#pragma once
#include "planner/backtest/published_run.h"
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/evidence/step_intervals.h"
#include "planner/result/backtest_result.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

/// What a backtest is asked about: a table of measured runs.
struct RunTable {
    std::string file;  ///< as errors name it
    std::vector<PublishedRun> runs;
    std::vector<std::string> unread{};  ///< about columns that look measured and are not known
};
/// "-" is standard input.
Result<RunTable> readRunTable(const std::string& path);

/// What says how long a step takes.
enum class BacktestEngine { Forecast, Simulation };

struct BacktestAsk {
    GroupBy groupBy = GroupBy::Source;
    BacktestEngine engine = BacktestEngine::Forecast;
    bool everyRow = false;    ///< summarise every row, not only core ones of tier A and B
    bool fitMachine = false;  ///< how fast these machines are; the forecasts are corrected by it
    std::string date{};       ///< of today, for a correction
};

struct BacktestAnswer {
    Backtest backtest;
    StepIntervals intervals;  ///< how sure these runs say we are
};

/// How far forecasts of measured runs are off.
Result<BacktestAnswer> backtest(const RunTable& table,
                                const BacktestAsk& ask,
                                const Workbench& bench,
                                const Watch& watch);

}  // namespace fabricast
