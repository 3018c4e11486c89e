#pragma once
#include "planner/report/table.h"

namespace fabricast {

/// The exact numbers of a chart's table as people read them, each column in one unit: what is
/// "memory (B)" in a file, 71744992768, is "memory (GiB)" in a window, 66.82.
Table shownTable(Table exact);

}  // namespace fabricast
