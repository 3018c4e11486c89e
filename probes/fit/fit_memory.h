#pragma once
#include "planner/base/result.h"
#include "planner/spec/kernel_profile.h"
#include "probes/fit/fit_gemm.h"
#include "probes/fit/measured_tables.h"

#include <vector>

namespace fabricast {

/// Fits the launch and the share of the bandwidth of one operation. Sizes that the L2 cache holds
/// are not for it: rows below `leastBytes` are left out.
Result<Fitted<MemoryFit>> fitMemory(const KernelProfile& kernels,
                                    MemoryOp op,
                                    const std::vector<MeasuredMemory>& rows,
                                    double leastBytes);

}  // namespace fabricast
