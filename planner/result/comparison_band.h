#pragma once

namespace fabricast {

/// How far apart the times per token of two forecasts must be to tell which is shorter. Of the
/// pairs of published runs of one model whose forecasts differ by 8 to 12 %, 80 % were measured in
/// that order (161 pairs; on one GPU under one stack 82 % of 55); of those closer together, 39 %,
/// or 68 % on one GPU under one stack. docs/compare.md has the table.
inline constexpr double kComparisonBand = 0.08;

}  // namespace fabricast
