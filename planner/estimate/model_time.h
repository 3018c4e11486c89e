#pragma once
#include "planner/estimate/segment_time.h"
#include "planner/ops/layer_segment.h"

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
ModelTime modelTime(const Scenario& scenario, const LayerOps& layers, const KernelProfile& kernels);

}  // namespace fabricast
