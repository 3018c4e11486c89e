#pragma once
#include "planner/spec/kernel_profile.h"

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

}  // namespace fabricast
