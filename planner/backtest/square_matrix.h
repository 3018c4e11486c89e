#pragma once
#include <vector>

namespace fabricast {

using SquareMatrix = std::vector<std::vector<double>>;

/// The inverse of a positive definite matrix, by elimination.
SquareMatrix inverse(SquareMatrix a);

}  // namespace fabricast
