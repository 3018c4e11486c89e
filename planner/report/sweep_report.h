#pragma once
#include "planner/base/result.h"
#include "planner/report/table.h"

#include <span>
#include <string>

namespace fabricast {

/// A sweep as a table: what each point sets, and its best plan. `lines` are JSON, one a point
/// ("fabricast.sweep/1"); empty ones, which are not computed yet, are left out.
Result<Table> sweepTable(std::span<const std::string> lines);

}  // namespace fabricast
