#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"
#include "tests/support/csv.h"

#include <cstddef>

namespace fabricast {

/// A published run, said as a scenario: the nearest stack's defaults, and what the row says. A row
/// that lacks what memory depends on is an error that names it.
Result<Scenario> publishedRun(const CsvTable& table, std::size_t row);

}  // namespace fabricast
