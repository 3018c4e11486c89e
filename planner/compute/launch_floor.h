#pragma once
#include "planner/base/units.h"

namespace fabricast {

enum class LaunchMode { Eager, Compiled, CudaGraph };

/// What the CPU needs to issue one kernel. Not the GPU's: a host of another speed is another value.
struct HostIssue {
    /// PyTorch's dispatcher and autograd: 4 to 8 us, from published step times of small models.
    Seconds eager{6e-6};
    /// Inductor's generated wrappers: 2 to 3 us.
    Seconds compiled{2.5e-6};
    /// Replayed by the driver: what is left between two kernels of a graph.
    Seconds cudaGraph{0.5e-6};
};

/// A GPU cannot run `kernels` faster than the host issues them, however small they are.
///     const Seconds layer = std::max(sumOfKernels, launchFloor(120, LaunchMode::Eager));
constexpr Seconds launchFloor(double kernels, LaunchMode mode, const HostIssue& host = {}) {
    switch (mode) {
        case LaunchMode::Eager:
            return host.eager * kernels;
        case LaunchMode::Compiled:
            return host.compiled * kernels;
        case LaunchMode::CudaGraph:
            break;
    }
    return host.cudaGraph * kernels;
}

}  // namespace fabricast
