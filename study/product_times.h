#pragma once
#include "planner/base/result.h"
#include "planner/result/explanation.h"
#include "planner/spec/scenario.h"

#include <vector>

namespace fabricast {

/// The matrix products of one forward pass of a layer on one rank, each with its time: what
/// time.gemm is a sum of. Of a model with experts the layers that have some.
Result<std::vector<ProductTime>> productTimes(const Scenario& scenario);

}  // namespace fabricast
