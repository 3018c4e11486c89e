#pragma once
#include "planner/backtest/published_run.h"
#include "planner/backtest/run_catalog.h"
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

#include <string>
#include <vector>

namespace fabricast {

/// A published run as a scenario: its stack's defaults, overridden by the row. A row that
/// lacks what a forecast needs is an error that names the column.
struct RunScenario {
    Scenario scenario;
    std::vector<std::string> assumed;  ///< what the row leaves out
};
Result<RunScenario> runScenario(const PublishedRun& run, const RunCatalog& catalog);

}  // namespace fabricast
