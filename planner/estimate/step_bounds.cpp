#include "planner/compute/gemm_time.h"
#include "planner/estimate/op_kernels.h"
#include "planner/estimate/step_estimator.h"

#include <limits>

namespace fabricast {

namespace {

double secondsOf(const SegmentTime& time) {
    return time.forward.device.total() + time.recompute.device.total() + time.input.device.total() +
           time.weight.device.total();
}

double wholeModel(const ModelSpec& spec, const ModelTime& time) {
    double sum = secondsOf(time.embedding) + secondsOf(time.norm) + secondsOf(time.head);
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        sum += secondsOf(spec.isSparse(layer) ? time.sparse : time.dense);
    }
    return sum;
}

}  // namespace

/// What a micro-batch costs whatever its size (casts of weights, their gradients' sums) cancels out
/// of a difference.
Result<double> StepEstimator::leastPerSample(const Scenario& scenario) const {
    constexpr std::int64_t kSamples = 64;
    constexpr double kRounding = 0.999;  // experts' rows are whole
    Scenario sized = scenario;
    double seconds[2] = {};
    for (const std::int64_t times : {1, 2}) {
        sized.layout.microBatch = times * kSamples;
        FABRICAST_ASSIGN(const ModelTime time, modelTime(sized, fabric_->limits));
        seconds[times - 1] = wholeModel(scenario.model, time);
    }
    return kRounding * (seconds[1] - seconds[0]) / static_cast<double>(kSamples);
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
