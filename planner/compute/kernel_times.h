#pragma once
#include "planner/base/units.h"
#include "planner/spec/kernel_profile.h"
#include "planner/spec/settings.h"

#include <cstdint>

namespace fabricast {

/// What a kernel has of its GPU while it runs.
///     gemmTime(profile, gemm, {.multiprocessors = 112.0 / 132});  // 20 are held by communication
struct RateState {
    double multiprocessors = 1.0;  ///< the share that communication leaves, above 0
    double bandwidth = 1.0;        ///< of the memory, likewise
    bool sustained = true;  ///< in a training loop; false: alone on a cool GPU, as benchmarks
};

/// The same GPU with no part-filled waves or tiles. No kernel is faster by the profile itself, and
/// the time of a kernel with twice the work is at most twice as long.
KernelProfile smooth(const KernelProfile& profile);
/// And no launches, and no bandwidth where arithmetic bounds: times grow in proportion to the work.
KernelProfile limitsOf(const KernelProfile& profile);

/// One kernel that moves `bytes`, read and written together, perhaps the mean of several: a launch,
/// then a share of the bandwidth, so that small ones are far from it.
///     memoryTime(profile, MemoryOp::Norm, tokens * 4.0 * hidden, {});
Seconds memoryTime(const KernelProfile& profile, MemoryOp op, double bytes, const RateState& state);

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
