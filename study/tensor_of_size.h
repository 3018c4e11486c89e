#pragma once
#include "planner/base/units.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// Which of the tensors of a run that grow fastest with its lengths has about this size: scores of
/// attention that is not fused, its mask, logits. Where none has, what the largest would take.
///     tensorOfSize(1024 GiB, scenario)  →
///         "scores of 1 x 32 heads x 131072 x 131072 in 16 bits have this size"
std::string tensorOfSize(Bytes size, const Scenario& scenario);

}  // namespace fabricast
