#pragma once
#include "planner/report/chart.h"

#include <string>

namespace fabricast {

// Charts as SVG for a page: colours are classes of page_style.h, and what a colour or a place means
// is also a text or a title. The same chart gives the same bytes.

std::string barsSvg(const BarChart& chart);
std::string pointsSvg(const PointChart& chart);

}  // namespace fabricast
