#pragma once
#include "planner/base/result.h"
#include "planner/estimate/segment_time.h"

namespace fabricast {

/// One microbatch through each kind of segment that a model is made of, on one rank. Stages are
/// sums of these.
struct ModelTime {
    SegmentTime embedding;
    SegmentTime dense;   ///< a layer without experts
    SegmentTime sparse;  ///< a layer with experts
    SegmentTime norm;
    SegmentTime head;  ///< with the loss, and tokens predicted further ahead
};
Result<ModelTime> modelTime(const Scenario& scenario, const KernelProfile& kernels);

}  // namespace fabricast
