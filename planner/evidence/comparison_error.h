#pragma once
#include <algorithm>
#include <cstdint>

namespace fabricast {

/// For profiles without: of all pairs of published runs of one model whose forecasts differed
/// by 8 to 12 %, 80 % were measured in that order (161 pairs); of those closer together, 39 %.
inline constexpr double kErrorOfAnyPair = 0.08;

/// Where the times per token of two forecasts differ by more than the error, four of five such
/// pairs were measured in the order of their forecasts.
struct PairError {
    double error = kErrorOfAnyPair;
    std::int64_t pairs = 0;  ///< of measured layouts that say so; 0: a profile without
    std::int64_t sources = 0;
};

/// This is how sure the order of two forecasts is: fitted by the backtest, read from
/// hardware_profiles/intervals. comparisonBand() tells which of the two errors holds.
struct ComparisonError {
    PairError sameSplit;   ///< two layouts of one work that share tp, pp, cp and ep
    PairError otherSplit;  ///< that do not

    [[nodiscard]] double larger() const { return std::max(sameSplit.error, otherSplit.error); }
};

}  // namespace fabricast
