#pragma once
#include "planner/base/result.h"
#include "planner/report/report.h"

#include <cstddef>
#include <span>
#include <string>

namespace fabricast {

// A sweep: what each point sets, and its answer. `lines` are JSON, one a point ("fabricast.sweep/1"
// of plans, "fabricast.size_sweep/1" of clusters); empty ones, which are not computed yet, are left
// out.

/// Numbers as they are in JSON, for programs.
Result<Table> sweepNumbers(std::span<const std::string> lines);
/// Numbers in the units of other tables, for people.
Result<Table> sweepTable(std::span<const std::string> lines);
/// The table, and a picture of it.
Result<Report> sweepReport(std::span<const std::string> lines);
/// Points that have an answer, and not only a reason why there is none.
Result<std::size_t> answeredPoints(std::span<const std::string> lines);

}  // namespace fabricast
