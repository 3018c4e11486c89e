#pragma once
#include "planner/backtest/left_out_groups.h"
#include "planner/backtest/solve_factors.h"

#include <vector>

namespace fabricast {

/// The speeds that these runs can tell, and how well they forecast runs that were left out.
struct ChosenFactors {
    FactorList factors;           ///< as they were added; empty: none helps
    double noise = 0.0;           ///< of solveFactors
    std::vector<double> leftOut;  ///< each run's miss, by the factors of the other groups
    FactorList atBound;           ///< would have helped, but ended where no machine is
};

/// Adds the factor that lowers the mean miss of left-out groups most, with the strength of the
/// ridge at which it does, for as long as each lowers it by a twentieth. None is taken unless all
/// together help left-out groups by more than one and a half standard errors, and their median,
/// also where the group had no part in the choice of factors.
ChosenFactors chooseFactors(const std::vector<RunSlopes>& runs, const LeftOutGroups& groups);

/// Each run's miss with the factors that its group's absence leaves.
std::vector<double> leftOutMisses(const std::vector<RunSlopes>& runs,
                                  const LeftOutGroups& groups,
                                  const FactorList& factors,
                                  double noise);

}  // namespace fabricast
