#pragma once
#include "planner/backtest/choose_factors.h"
#include "planner/backtest/left_out_groups.h"
#include "planner/backtest/run_slopes.h"
#include "planner/backtest/square_matrix.h"
#include "planner/spec/like_runs.h"

#include <optional>
#include <vector>

namespace fabricast {

/// What runs took beside the speeds of their machine, as far as runs like them took it too: misses
/// that vary together as likeness says (likeness.h), each with a noise of its own, which is larger
/// for odd runs (Huber). What to expect of another run is then their weighted sum:
///     cov = spread² · likeness + noise² / w,    weight = spread² · cov⁻¹ · miss
class RunLikeness {
public:
    RunLikeness(const std::vector<RunSlopes>& runs, const std::vector<double>& misses);

    [[nodiscard]] std::vector<LikeRun> likeRuns() const;
    /// Each run's miss (of `misses`) less what the runs of the other groups say of it.
    [[nodiscard]] std::vector<double> leftOut(const std::vector<double>& misses,
                                              const LeftOutGroups& groups) const;

private:
    [[nodiscard]] std::vector<double> solved(const std::vector<double>& misses) const;

    const std::vector<RunSlopes>& runs_;
    std::vector<double> weights_;
    SquareMatrix inverse_;  ///< of the covariance
};

/// Of misses that speeds leave. Nothing where runs that are left out surely lose by it, where it
/// says less than steps of one job differ by, where most runs are farther off than a machine's
/// are, and of more runs than a forecast can be compared with.
std::optional<OwnLikeness> chooseLikeness(const std::vector<RunSlopes>& runs,
                                          const std::vector<double>& misses);

/// Misses of each group by the factors and the likeness of the others.
std::vector<double> leftOutOfBoth(const std::vector<RunSlopes>& runs,
                                  const LeftOutGroups& groups,
                                  const FactorList& factors,
                                  double noise);

/// Whether left-out groups gain by the factors for sure, or half of what they miss, where the
/// likeness of the others is known too. `about` are the runs with their slopes at these speeds.
bool helpBesideLikeness(const std::vector<RunSlopes>& runs,
                        const std::vector<RunSlopes>& about,
                        const LeftOutGroups& groups,
                        const ChosenFactors& chosen);

}  // namespace fabricast
