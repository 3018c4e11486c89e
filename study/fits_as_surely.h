#pragma once
#include "planner/result/rejection.h"

namespace fabricast {

/// Whether what has the verdict `changed` may be offered beside what has the verdict `now`: it fits
/// as surely; beside what does not fit at all it surely does.
constexpr bool fitsAsSurely(Verdict changed, Verdict now) {
    return changed <= (now == Verdict::DoesNotFit ? Verdict::Fits : now);
}

}  // namespace fabricast
