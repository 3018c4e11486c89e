#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"
#include "tests/support/case_table.h"

#include <cstddef>

namespace fabricast {

/// A published run, as a scenario: the nearest stack's defaults, overridden by the row. A row
/// that lacks what memory depends on is an error that names it.
Result<Scenario> publishedRun(const CsvTable& table, std::size_t row);

}  // namespace fabricast
