#pragma once
#include "planner/base/result.h"
#include "planner/spec/kernel_profile.h"
#include "probes/fit/fit_gemm.h"
#include "probes/fit/measured_tables.h"

#include <vector>

namespace fabricast {

/// Fits attention forward by one kernel in one type. With few rows (a published figure) only five
/// kinds of number are searched for, and the rest stay as in `start`.
Result<Fitted<AttentionFit>> fitAttention(const KernelProfile& kernels,
                                          const AttentionFit& start,
                                          const std::vector<MeasuredAttention>& rows);

/// Backward over forward time of the code and widths asked for: medians up to 8,192 tokens, and
/// from 32,768 on. Rows of both passes have the modelled forward subtracted. Zero where there are
/// no rows.
BackwardRatio backwardRatioOf(const KernelProfile& kernels,
                              const BackwardRatio& asked,
                              const std::vector<MeasuredAttention>& rows);

}  // namespace fabricast
