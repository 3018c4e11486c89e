#pragma once
#include "planner/launch/python_values.h"

#include <optional>
#include <string>

namespace fabricast {

/// What whole numbers make with + - * / // % ** and brackets, and max and min of them, as digits;
/// nothing where one of them is not known, or a division leaves a rest that / would keep.
///     BATCH // MICRO, of 128 and 4  →  "32"
std::optional<std::string> arithmeticOf(const PythonValues& program, const WordSpan& value);

}  // namespace fabricast
