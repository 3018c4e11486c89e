#pragma once
#include "planner/backtest/published_run.h"
#include "planner/backtest/run_catalog.h"

#include <string>
#include <vector>

namespace fabricast {

/// What rows say that can hardly be meant, though they are forecast as they stand: one id of
/// several rows, and a number of parameters that is not the model's.
///     "id \"a-1\" stands in 14 rows, and names none of them"
std::vector<std::string> doubtsOf(const std::vector<PublishedRun>& runs, const RunCatalog& catalog);

}  // namespace fabricast
