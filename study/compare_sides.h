#pragma once
#include "planner/result/comparison.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// Puts answers side by side: what was asked differently, what came out differently, and which
/// parts of time and memory make the difference.
///     const Comparison comparison = compareSides({a, b}, 0);
///     comparison.differences[0].time->parts  →  {"gemm", -0.12}, {"recompute", -0.31}, …
/// A difference within the error of a comparison is Equal: the order is not known.
Comparison compareSides(std::vector<ComparedSide> sides, std::size_t baseline);

}  // namespace fabricast
