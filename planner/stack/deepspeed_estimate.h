#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"

#include <cstdint>

namespace fabricast {

/// What DeepSpeed's own estimators are asked: estimate_zero2_model_states_mem_needs and
/// estimate_zero3_model_states_mem_needs.
struct DeepspeedQuestion {
    std::int64_t parameters = 0;
    std::int64_t largestLayer = 0;  ///< parameters; stage 3 only
    std::int64_t gpusPerNode = 1;
    std::int64_t nodes = 1;
    bool offloadOptimizer = false;
    bool offloadParameters = false;  ///< stage 3 only
    bool zeroInit = true;            ///< stage 3 only: the model is built sharded
};

/// Per node on the host, per GPU on the device. These are the numbers a buyer meets in DeepSpeed's
/// documentation, not what it allocates: they count neither activations nor communication buffers,
/// and 18 bytes where it keeps 16 (stage 3) or whole gradients (stage 2).
struct DeepspeedEstimate {
    Bytes host;
    Bytes gpu;
    Bytes largestLayer;  ///< stage 3: gathered at once
};

Result<DeepspeedEstimate> deepspeedEstimateStage2(const DeepspeedQuestion& question);
Result<DeepspeedEstimate> deepspeedEstimateStage3(const DeepspeedQuestion& question);

}  // namespace fabricast
