#pragma once
#include "planner/result/stage_action.h"

#include <cstdint>

namespace fabricast {

/// The most that a rank holds at once, in microbatches of a stage; the forward of a pair counts
/// before its backward.
struct InFlight {
    std::int64_t peak = 0;  ///< forward done, weight gradient not: what activations are kept for
    std::int64_t untilInput = 0;      ///< forward done, input gradient not
    std::int64_t pendingWeights = 0;  ///< input gradient done, weight gradient not

    friend bool operator==(const InFlight&, const InFlight&) = default;
};
InFlight inFlight(const StageActions& actions);

}  // namespace fabricast
