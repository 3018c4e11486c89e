#include "planner/compute/gemm_time.h"
#include "planner/estimate/group_time.h"

#include <cstddef>

namespace fabricast {

SegmentTime GroupClock::groupedTime(const Op& op, const Product& p, GemmType type) const {
    GroupedGemm group{
        .experts = p.count,
        .rowsPerExpert = static_cast<double>(p.rows) / static_cast<double>(p.count),
        .inputs = p.depth,
        .outputs = p.columns,
        .type = type,
        .accumulateFp32 = addedInGemm(op),
        .perExpert = scenario_.settings.kernels.experts == ExpertKernel::GroupedFused &&
                     !scenario_.settings.kernels.fusedExperts};
    const auto seconds = [&](GroupedPass pass) {
        group.pass = pass;
        return groupedGemmTime(kernels_, group, {}).count();
    };
    SegmentTime time;
    time.forward.device.gemm = seconds(GroupedPass::Forward);
    time.forward.launches = 1.0;
    if (list_.tensor(op.inputs.front()).requiresGrad) {
        time.input.device.gemm = seconds(GroupedPass::InputGradient);
        time.input.launches = 1.0;
    }
    const WeightUse& weight = list_.weights[static_cast<std::size_t>(op.weights.front())];
    if (weight.trained || op.inputs.size() > 1) {  // or it reads what adapters made
        time.weight.device.gemm = seconds(GroupedPass::WeightGradient);
        time.weight.launches = 1.0;
    }
    if (group.perExpert) {
        const auto experts = static_cast<double>(p.count);
        const double casts = type == GemmType::Bf16 || type == GemmType::Fp16 ? 0.0 : experts;
        time.forward.experts = time.input.experts = experts + casts;
        time.weight.experts = experts;
    }
    if (scenario_.settings.kernels.fusedExperts) {
        return time;
    }
    if (group.perExpert && op.name == "weight2") {
        addExpertBias(p, time);
        addClamps(p, time);
    }
    addCasts(op, type, {.rows = p.rows, .columns = p.columns, .depth = p.depth}, time);
    return time;
}

/// Each expert's bias, times the row's probability in fp32, is added to its rows, which are joined
/// again and cast; backward multiplies and sums the gradient for the bias and the probabilities.
void GroupClock::addExpertBias(const Product& p, SegmentTime& time) const {
    if (!scenario_.model.moe->expertBias) {
        return;
    }
    constexpr double kForwardBytes = 28.0;  // of an element: 4 + (2+4+4) + (4+4) + (4+2)
    constexpr double kBackwardBytes = 40.0;
    constexpr double kForwardSteps = 2.0;
    constexpr double kBackwardSteps = 4.0;
    const auto elements = static_cast<double>(p.rows * p.columns);
    const auto experts = static_cast<double>(p.count);
    time.forward.device.memory += move(MemoryOp::Elementwise, kForwardBytes * elements);
    time.forward.experts += kForwardSteps * experts;
    time.input.device.memory += move(MemoryOp::Elementwise, kBackwardBytes * elements);
    time.input.experts += kBackwardSteps * experts;
}

/// Before a clamped activation its input is taken apart, clamped and joined, each as an operation.
void GroupClock::addClamps(const Product& p, SegmentTime& time) const {
    if (!scenario_.model.moe->clampedGlu) {
        return;
    }
    constexpr double kForwardBytes = 16.0;  // of an element that is left: 2·(2+2) + 2·(2+2)
    constexpr double kBackwardBytes = 20.0;
    constexpr double kForwardSteps = 3.0;
    const auto elements = static_cast<double>(p.rows * p.depth);
    time.forward.device.memory += move(MemoryOp::Elementwise, kForwardBytes * elements);
    time.forward.launches += kForwardSteps;
    time.input.device.memory += move(MemoryOp::Elementwise, kBackwardBytes * elements);
    time.input.launches += kForwardSteps;
}

}  // namespace fabricast
