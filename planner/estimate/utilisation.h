#pragma once
#include "planner/result/step_estimate.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// The share of the GPU's printed peak, in the type that computes, that the model's own products
/// use: work that is done twice does not count, nor weight gradients that nobody takes (LoRA).
Utilisation utilisation(const Scenario& scenario, double tokensPerGpuSecond);

}  // namespace fabricast
