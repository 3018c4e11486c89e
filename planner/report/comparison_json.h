#pragma once
#include "planner/result/comparison.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A comparison as one JSON document, "fabricast.comparison/1".
///     .inputs[].{key,values}   .numbers[].{key,values}   .differences[].{side,verdict,ratio}
///     .differences[].time.{from_s,to_s,parts}   .differences[].memory.{from_bytes,to_bytes,parts}
/// `leastChange` decides which numbers count as changed.
std::string comparisonJson(const Comparison& comparison,
                           double leastChange,
                           std::string_view version);

}  // namespace fabricast
