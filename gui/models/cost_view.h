#pragma once
#include "planner/report/table.h"
#include "planner/result/explanation.h"
#include "planner/result/hardware_answer.h"

#include <string>
#include <vector>

namespace fabricast {

/// A row per number of the cost, with its interval and the key of its formula.
struct CostRows {
    Table table;
    std::vector<std::string> why;
};
CostRows costRows(const RunCost& cost);

/// What the price rests on, a line each.
std::vector<std::string> costBasisLines(const RunCost& cost, const CostBasis& basis);

/// A row per box: what the model does on it, what it costs, and when buying is cheaper.
Table hardwareRows(const HardwareAnswer& answer);
/// Which box is cheapest and which is fastest, in a sentence.
std::string hardwareHeadline(const HardwareAnswer& answer);

}  // namespace fabricast
