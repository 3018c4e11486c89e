#pragma once
#include "planner/base/units.h"
#include "planner/compute/kernel_limits.h"
#include "planner/spec/kernel_profile.h"
#include "planner/spec/settings.h"

#include <cstdint>

namespace fabricast {

/// Bytes that the optimizer's kernels read and write to update one parameter: moments, master and
/// weight both ways, and the gradient; in one kernel, or over again in one kernel per operation.
/// Muon's products come on top: newtonSchulzTime.
double optimizerBytes(const Settings& settings);

/// Muon orthogonalises the update of a matrix in bf16 by Newton-Schulz iterations: each of the five
/// is X·Xᵀ, its square, and their sum times X, with the narrow side of the matrix first.
///     newtonSchulzTime(kernels, 4096, 14336, {});
Seconds newtonSchulzTime(const KernelProfile& profile,
                         std::int64_t rows,
                         std::int64_t columns,
                         const RateState& state);

}  // namespace fabricast
