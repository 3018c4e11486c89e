#include "planner/compute/gemm_time.h"
#include "planner/estimate/op_kernels.h"
#include "planner/estimate/step_estimator.h"

#include <limits>

namespace fabricast {

namespace {

constexpr double kRounding = 0.999;  ///< experts' rows are whole

void takeAway(WorkSeconds& from, const WorkSeconds& what, double share) {
    from.gemm = share * (from.gemm - what.gemm);
    from.attention = share * (from.attention - what.attention);
    from.memory = share * (from.memory - what.memory);
}

/// What a sample adds, from times for as many samples and for twice as many.
ModelTime perSample(ModelTime twice, const ModelTime& once, double samples) {
    const double share = kRounding / samples;
    const auto segment = [share](SegmentTime& a, const SegmentTime& b) {
        takeAway(a.forward.device, b.forward.device, share);
        takeAway(a.recompute.device, b.recompute.device, share);
        takeAway(a.input.device, b.input.device, share);
        takeAway(a.weight.device, b.weight.device, share);
    };
    segment(twice.embedding, once.embedding);
    segment(twice.dense, once.dense);
    segment(twice.sparse, once.sparse);
    segment(twice.norm, once.norm);
    segment(twice.head, once.head);
    return twice;
}

}  // namespace

/// What a micro-batch costs whatever its size (casts of weights, their gradients' sums) cancels out
/// of a difference.
Result<ModelTime> StepEstimator::leastPerSample(const Scenario& scenario) const {
    constexpr std::int64_t kSamples = 64;
    Scenario sized = scenario;
    sized.settings.recompute = {};
    sized.layout.microBatch = kSamples;
    FABRICAST_ASSIGN(const LayerOps few, layerOps(sized));
    const ModelTime once = modelTime(sized, few, fabric_->limits);
    sized.layout.microBatch = 2 * kSamples;
    FABRICAST_ASSIGN(const LayerOps more, layerOps(sized));
    return perSample(modelTime(sized, more, fabric_->limits), once, static_cast<double>(kSamples));
}

double StepEstimator::leastPerFlop(const Settings& settings) const {
    double least = std::numeric_limits<double>::max();
    for (const bool quantised : {false, true}) {
        const Gemm large{.m = 1 << 14,
                         .n = 1 << 14,
                         .k = 1 << 14,
                         .type = gemmTypeOf(settings, quantised, fabric_->limits)};
        if (fabric_->limits.supports(large.type)) {
            least = std::min(least,
                             gemmTime(fabric_->limits, large, {}).count() / large.flops().count());
        }
    }
    return least;
}

}  // namespace fabricast
