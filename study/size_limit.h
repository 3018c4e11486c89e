#pragma once
#include "planner/base/watch.h"
#include "planner/result/size_answer.h"
#include "planner/search/find_plans.h"
#include "study/size_line.h"

#include <cstdint>
#include <limits>
#include <span>

namespace fabricast {

/// What a cluster has to do to be of use.
struct SizeLimit {
    double seconds = std::numeric_limits<double>::infinity();  ///< at most, of all jobs
    double tokensPerSecond = 0.0;                              ///< at least, of each
    std::int64_t walks = kMostEventsWalked;                    ///< of its searches, at most
};
inline constexpr SizeLimit kNoUse{.seconds = 0.0};

/// What all searches of an answer may walk together, and what is left of it.
struct SizeWork {
    std::int64_t most = 5 * kMostEventsWalked;
    std::int64_t left = most;
    bool isCutShort = false;  ///< what may be of use was not looked at, as nothing was left
};
/// A hundred times as much where an answer may take long.
inline SizeWork workFor(const Watch& watch) {
    const std::int64_t most = SizeWork().most * (watch.mayTakeLong ? 100 : 1);
    return {.most = most, .left = most};
}

/// Whether what has the bound may do as much.
bool isOfUse(const SizeBound& bound, const SizeLimit& limit);

/// What reaches all targets where the bound is as good as it gets; kNoUse where that does not.
SizeLimit limitOf(const SizeBound& bound, std::span<const SizeTarget> targets);
/// What reaches all targets and is better by the aim than `had` where the bound is as good as it
/// gets; kNoUse where that is not.
SizeLimit limitToBeat(const SizeBound& bound,
                      const SizedCluster& had,
                      SizeAim aim,
                      std::span<const SizeTarget> targets);
/// Seconds after which a cluster costs as much; for ever where they do not make it dearer.
double secondsOf(const SizeBound& bound, double usd);

/// Seconds from which on `a` is as good as whatever has the bound; for ever: it never is.
double beatenFrom(const SizedCluster& a, const SizeBound& b);

}  // namespace fabricast
