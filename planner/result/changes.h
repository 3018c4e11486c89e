#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/step_estimate.h"
#include "planner/spec/edit.h"

#include <string>
#include <vector>

namespace fabricast {

/// A change of one key that makes the step shorter and still fits, or may.
struct FasterChange {
    std::string set;  ///< "layout.tp=4", as --set takes it
    std::vector<Edit> edits;
    Headline<Seconds> step;
    Verdict verdict = Verdict::Fits;
    bool isClear = true;  ///< shorter by more than the error of a comparison
};

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
