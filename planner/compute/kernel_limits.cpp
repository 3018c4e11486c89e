#include "planner/compute/kernel_times.h"

namespace fabricast {

KernelProfile smooth(const KernelProfile& profile) {
    KernelProfile smooth = profile;
    smooth.tiles = {{.rows = 1.0, .columns = 1.0}};
    for (auto& fit : smooth.gemm) {
        if (fit) {
            fit->tilePenalty = 0.0;
            fit->waveFraction = 0.0;
        }
    }
    return smooth;
}

KernelProfile limitsOf(const KernelProfile& profile) {
    KernelProfile limits = smooth(profile);
    for (auto& fit : limits.gemm) {
        if (fit) {
            fit->prologueDepth = 0.0;
            fit->launch = Seconds(0.0);
            fit->inputBytes = 0.0;
            fit->outputBytes = 0.0;
        }
    }
    for (AttentionFit& fit : limits.attention) {
        fit.tail = 0.0;
        fit.launch = Seconds(0.0);
    }
    limits.grouped.perExpert = Seconds(0.0);
    for (MemoryFit& fit : limits.memory) {
        fit.launch = Seconds(0.0);
    }
    return limits;
}

}  // namespace fabricast
