#pragma once
#include "planner/base/result.h"
#include "planner/measured/measurements.h"
#include "probes/fit/fit_kernels.h"

#include <span>
#include <string>

namespace fabricast {

/// The kernel profile of one rank of a CPU cluster, from its points gemm, attention, memory and
/// adam. A rank is a device with one multiprocessor: its products take
///     flop · (k + prologue_depth) / k / (peak · efficiency) + launch
/// or what their bytes take. Needs five products or more and a `memory op=copy`; sections that
/// nobody measured are as others', and say so.
Result<FittedKernels> fitCpuKernels(std::span<const RecordedPoint> points,
                                    const std::string& name,
                                    const std::string& from);

/// The best rate of the products in fp32.
FlopsPerSecond bestRate(std::span<const RecordedPoint> points);

}  // namespace fabricast
