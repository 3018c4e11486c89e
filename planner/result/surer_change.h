#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/edit.h"

#include <string>
#include <vector>

namespace fabricast {

/// Settings that change nothing of the training, with which a plan surely fits in the GPUs alone
/// where none does without them.
struct SurerChange {
    std::string set;  ///< "--set settings.kernels.loss=liger"
    std::vector<Edit> edits;
    std::string plan;  ///< "ddp dp=1,recompute=full"
    Headline<Seconds> step;
    Bytes peak;
    Bytes capacity;
};

}  // namespace fabricast
