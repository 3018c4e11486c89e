#pragma once
#include "planner/base/result.h"
#include "planner/spec/kernel_profile.h"
#include "probes/fit/fit_gemm.h"
#include "probes/fit/measured_tables.h"

#include <vector>

namespace fabricast {

/// Fits what experts' multiplies cost over the dense ones: from training's three passes where they
/// were measured, else the forward factor from whole inference layers. `host` is how much slower
/// the measuring host computes than the profile says.
Result<Fitted<GroupedFit>> fitGrouped(const KernelProfile& kernels,
                                      const std::vector<MeasuredExperts>& rows,
                                      double host);

}  // namespace fabricast
