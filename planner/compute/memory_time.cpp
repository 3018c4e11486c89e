#include "planner/compute/kernel_times.h"

namespace fabricast {

/// t = t0 + bytes/(BW·η)
Seconds memoryTime(const KernelProfile& profile,
                   MemoryOp op,
                   double bytes,
                   const RateState& state) {
    const MemoryFit& fit = profile.fit(op);
    const double rate = profile.memoryBandwidth.count() * state.bandwidth * fit.efficiency;
    return fit.launch + Seconds(bytes / rate);
}

}  // namespace fabricast
