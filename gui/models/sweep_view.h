#pragma once
#include "gui/charts/curve.h"
#include "planner/base/result.h"
#include "planner/report/table.h"
#include "study/sweep.h"

#include <string>
#include <vector>

namespace fabricast {

/// A key whose values are tried one by one.
struct SweptKey {
    std::string path;  ///< "cluster.nodes"
    std::string title;
    std::vector<std::string> values;  ///< to start with
};
/// Those that people try most; of the others any may be typed.
const std::vector<SweptKey>& sweptKeys();

/// Values to start with, among which what is asked is: of another number its halves and doubles.
///     valuesWith({"1", "2", "4"}, "32")  →  8, 16, 32, 64, 128
std::vector<std::string> valuesWith(std::vector<std::string> values, const std::string& asked);

/// "1, 2, 4" as values.
std::vector<std::string> typedValues(const std::string& typed);

/// A row for each value: the best layout there, as `fabricast plan --sweep` has it.
Result<Table> sweepRows(const SweepAnswer& answer);
/// Tokens per second at each value; no points where values are no numbers, or answers have none.
Result<CurveValues> sweepCurve(const SweepAnswer& answer);

}  // namespace fabricast
