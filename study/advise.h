#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/advice.h"
#include "study/advice_task.h"
#include "study/question.h"
#include "study/workbench.h"

#include <cstddef>
#include <cstdint>

namespace fabricast {

struct AdviseAsk {
    std::int64_t maxUsd = 0;  ///< that the run of workload.tokens may cost; 0: any sum
};

/// Which way to train, step by step, and why.
Result<Advice> advise(const Question& question,
                      const AdviseAsk& ask,
                      const Workbench& bench,
                      const Watch& watch);

/// Takes the ways to train, simplest first, each with the best layout that it has here, and advises
/// the simplest that fits and is not clearly slower than the fastest. Then takes them again in
/// other situations: more and fewer GPUs, longer sequences, smaller GPUs, a slower network.
Result<Advice> adviseOn(AdviceTask task,
                        const TimingProfiles& timing,
                        std::size_t threads,
                        const Watch& watch = {});

}  // namespace fabricast
