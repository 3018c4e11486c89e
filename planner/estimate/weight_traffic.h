#pragma once
#include "planner/ops/op_list.h"
#include "planner/spec/settings.h"

namespace fabricast {

/// What a product does with its weight beside multiplying by it: bytes that are moved, and kernels
/// that are launched for it.
struct WeightTraffic {
    double castBytes = 0.0;      ///< autocast's copy in the type that computes, once in each pass
    double gradientBytes = 0.0;  ///< after the product that makes the weight's gradient
    double castLaunches = 0.0;
    double gradientLaunches = 0.0;
    double dequantizations = 0.0;  ///< launches, in forward and again for the input's gradient
};

/// A gradient is added to Megatron's buffer, or cast back to the type in which autocast's weights
/// are stored; one of a stack of experts is put in zeros of the whole. What engines sum over
/// microbatches is in `keptWork`. bitsandbytes makes the whole matrix of a quantised weight for
/// its product, and again in backward.
WeightTraffic weightTraffic(const Settings& settings, const Op& op, const WeightUse& use);

}  // namespace fabricast
