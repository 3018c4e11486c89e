#pragma once
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "planner/search/search_space.h"

namespace fabricast {

/// GPU-seconds that a token takes at least on such GPUs, however many there are, whatever joins
/// them and however they are divided: every kernel of the model on whole batches at the rate that
/// it never exceeds, none waiting for another. 0 where a stack's settings or kernels are not known.
///     tokens per second of n GPUs  <=  n / leastGpuSeconds(task, timing)
Result<double> leastGpuSeconds(const SearchTask& task, const TimingProfiles& profiles);

}  // namespace fabricast
