#pragma once
#include "planner/report/report.h"
#include "planner/result/advice.h"

#include <string>

namespace fabricast {

/// Of the ways that fit, the one whose run costs least; nullptr where none has a price.
const AdviceStep* cheapestStep(const Advice& advice);

/// The decision in a line: the plan that is advised, or why there is none.
std::string adviceHead(const Advice& advice);
/// The buyer's decision for people: each way to train with its best layout, what is advised, and
/// what would change it.
Report adviceReport(const Advice& advice);
std::string adviceMarkdown(const Advice& advice);

}  // namespace fabricast
