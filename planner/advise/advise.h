#pragma once
#include "planner/advise/advice_task.h"
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/advice.h"

#include <cstddef>

namespace fabricast {

/// Walks the ways to train, simplest first, each with the best layout that it has here, and takes
/// the simplest that fits and is not clearly slower than the fastest. Then walks them again in
/// other situations: more and fewer GPUs, longer sequences, smaller GPUs, a slower network.
///     FABRICAST_ASSIGN(const Advice advice, adviseOn(task, timing, threads));
Result<Advice> adviseOn(const AdviceTask& task, const TimingProfiles& timing, std::size_t threads);

}  // namespace fabricast
