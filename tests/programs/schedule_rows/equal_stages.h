#pragma once
#include "planner/schedule/order_kind.h"

#include <optional>

namespace fabricast {

/// What each pass takes where all stages are alike.
struct EqualTimes {
    double forward = 0;
    double backward = 0;
    double inputGradient = 0;
    double weightGradient = 0;
};

/// The makespan where all stages are alike and a hand-over takes nothing, in closed form; nothing
/// where none is known to be exact. A stage is one of the p·v, a pair runs as one.
std::optional<double> equalStagesMakespan(OrderKind kind,
                                          const PipelineShape& shape,
                                          const EqualTimes& times);

}  // namespace fabricast
