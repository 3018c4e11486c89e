#pragma once
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "planner/search/search_space.h"

namespace fabricast {

/// GPU-seconds that a token takes at least on such GPUs, however many there are, whatever joins
/// them and however they are divided: the matrix products of the layers at the rate that no kernel
/// exceeds. It is where the search itself starts. 0 where a stack's settings are not known.
///     tokens per second of n GPUs  <=  n / leastGpuSeconds(task, timing)
Result<double> leastGpuSeconds(const SearchTask& task, const TimingProfiles& profiles);

}  // namespace fabricast
