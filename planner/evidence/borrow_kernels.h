#pragma once
#include "planner/spec/cluster_spec.h"
#include "planner/spec/kernel_profile.h"

namespace fabricast {

/// What is known about a GPU without kernel fits.
struct BorrowedRates {
    Sourced<FlopsPerSecond> rate;  ///< that 16-bit multiplies reach in a burst; empty: the donor's
                                   ///< share of the peak
    Sourced<std::int64_t> multiprocessors;  ///< if the GPU's own profile has none
    Sourced<double> timeScale;              ///< measured over modelled time
    Sourced<double> extraError;             ///< added to the donor's
    std::optional<SustainedRate> sustained;
};

/// The donor's kernels with this GPU's multiprocessors, bandwidth and peaks. The efficiency of
/// every type is scaled equally, so that peak · efficiency / (1 + throttle) is the rate that 16-bit
/// multiplies reach. Types that the GPU has no peak for are left out.
KernelProfile borrowKernels(const KernelProfile& donor,
                            const GpuSpec& gpu,
                            const BorrowedRates& rates);

/// With the types that follow from others: fp16 from bf16, tf32 and fp32 from the 16-bit shapes,
/// mxfp8 from the fp8 of 1x128 blocks.
KernelProfile completeKernels(KernelProfile kernels, const GpuSpec& gpu);

/// The peak that a type's products run at ("fp8" for all that multiply in fp8).
const char* peakName(GemmType type);

}  // namespace fabricast
