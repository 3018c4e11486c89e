#pragma once
#include "planner/spec/like_runs.h"

#include <vector>

namespace fabricast {

/// How alike two runs are, from 1 of equal ones towards 0:
///     exp(-d²/2), d² = Σ (octaves between counts / 3)² + Σ (difference of shares / 0.15)²
///                      + 1 where they are set differently
/// Lengths were chosen for other people's runs, of which each source was left out in turn
/// (docs/backtest.md, "Runs like it").
double likeness(const RunTraits& a, const RunTraits& b);

/// With the least and the most that these runs say of themselves: a step is stretched by no more
/// and no less, whatever it is like.
OwnLikeness ownLikeness(std::vector<LikeRun> runs);

/// What a step with these traits takes over the forecast of its machine's speeds:
///     ln stretch = Σ over own runs of weight · likeness, within their least and most
/// 1 far from every own run, and where there is none.
double stretchOf(const OwnLikeness& own, const RunTraits& traits);

/// No step is stretched by less.
double leastStretch(const OwnLikeness& own);

}  // namespace fabricast
