#pragma once
#include "planner/base/units.h"
#include "planner/compute/rate_state.h"
#include "planner/spec/kernel_profile.h"
#include "planner/spec/settings.h"

#include <cstdint>

namespace fabricast {

/// The update of the parameters that one GPU steps, by one optimizer.
///     optimizerStepTime(profile, {.parameters = 1e9, .tensors = 300}, {});
struct OptimizerStep {
    OptimizerKind kind = OptimizerKind::AdamW;
    OptimizerKernel kernel = OptimizerKernel::Fused;
    double parameters = 0.0;
    double tensors = 1.0;  ///< they come in
    double parameterBytes = 4.0;
    double gradientBytes = 4.0;
    double momentBytes = 4.0;  ///< of the kinds that do not fix it themselves
    double copyBytes = 0.0;    ///< of the copy that is written for the model; 0: none
};

/// Bytes read and written for each parameter.
double optimizerTraffic(const OptimizerStep& step);

/// Kernels launched.
double optimizerKernels(const OptimizerStep& step);

/// The GPU's time for the update itself; without Muon's products, which newtonSchulzTime has.
Seconds optimizerStepTime(const KernelProfile& profile,
                          const OptimizerStep& step,
                          const RateState& state);

/// What Megatron does with its gradients around the update, of which each of `shards` ranks steps
/// its part.
struct MegatronStep {
    OptimizerStep update;         ///< of all the rank's parameters; a shard of it is stepped
    double shards = 1.0;          ///< ranks that divide it: 1 without a distributed optimizer
    bool checkGradients = false;  ///< for NaN, or their norm, in each bucket
    bool scaleGradients = true;   ///< by tokens or by the loss scale
    bool clip = true;
};
Seconds megatronStepTime(const KernelProfile& profile,
                         const MegatronStep& step,
                         const RateState& state);

/// Muon's orthogonalisation of one matrix: per iteration X·Xᵀ, its square, and their sum times X.
Seconds newtonSchulzTime(const KernelProfile& profile,
                         std::int64_t rows,
                         std::int64_t columns,
                         const RateState& state,
                         int iterations = 5);

}  // namespace fabricast
