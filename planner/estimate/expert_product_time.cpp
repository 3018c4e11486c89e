#include "planner/compute/gemm_time.h"
#include "planner/estimate/group_time.h"

#include <algorithm>
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
    const WeightUse& weight = list_.weights[static_cast<std::size_t>(op.weights.front())];
    const bool makesGradient = weight.trained || op.inputs.size() > 1;  // or it reads adapters
    const auto seconds = [&](GroupedPass pass) {
        group.pass = pass;
        group.quantising = quantisingOf(op, pass, makesGradient);
        return groupedGemmTime(kernels_, group, {}).count();
    };
    SegmentTime time;
    time.forward.device.gemm = seconds(GroupedPass::Forward);
    time.forward.launches = 1.0;
    if (list_.tensor(op.inputs.front()).requiresGrad) {
        time.input.device.gemm = seconds(GroupedPass::InputGradient);
        time.input.launches = 1.0;
    }
    if (makesGradient) {
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
    if (group.perExpert) {
        addPadding(op, p, type, time);
    }
    if (group.perExpert && op.name == "weight2") {
        addExpertBias(p, time);
    }
    addCasts(op, type, {.rows = p.rows, .columns = p.columns, .depth = p.depth}, time);
    return time;
}

/// In one kernel the activation and its backward write what the products beside them read. The
/// gradient of a weight reads what the other products had quantised.
Quantising GroupClock::quantisingOf(const Op& op, GroupedPass pass, bool makesGradient) const {
    const GroupedPass inside =
        op.name == "weight2" ? GroupedPass::Forward : GroupedPass::InputGradient;
    const bool fused = scenario_.settings.kernels.fusedExperts && pass == inside;
    return fused || pass == GroupedPass::WeightGradient ? Quantising::Done
           : makesGradient                              ? Quantising::BothCopies
                                                        : Quantising::OneCopy;
}

/// Each expert's bias, times its rows' probabilities, is added to the rows, which are joined again;
/// backward multiplies and sums the gradient, for the bias and for the probabilities. DeepEP and
/// HybridEP take probabilities in fp32, in which all of this then is, before a cast. A product of a
/// row and a column goes one by one.
void GroupClock::addExpertBias(const Product& p, SegmentTime& time) const {
    if (!scenario_.model.moe->expertBias) {
        return;
    }
    const KernelSettings& kernels = scenario_.settings.kernels;
    const bool isWide = kernels.dispatchOncePerNode || kernels.routerDtype == Dtype::Fp32;
    const double width = isWide ? 4.0 : 2.0;
    const double elements = static_cast<double>(p.rows * p.columns);
    const double experts = static_cast<double>(p.count);
    const auto moved = [&](double bytes) { return move(MemoryOp::Elementwise, bytes * elements); };
    const auto product = [&](double bytes, bool sameType) {
        return std::max(moved(bytes), oneByOne(elements, sameType));
    };
    const double castBytes = isWide ? 6.0 : 0.0;
    const double sumBytes = 2.0 + 2.0 * width;
    const double joinBytes = 2.0 * width;
    time.forward.device.memory += product(width, !isWide) + moved(sumBytes + joinBytes + castBytes);
    time.forward.experts += 2.0 * experts;
    const double reduceBytes = 2.0 * width;
    const double splitBytes = 4.0;
    time.input.device.memory += product(2.0 * width, !isWide) + product(2.0 * width, true) +
                                moved(2.0 * castBytes + reduceBytes + splitBytes);
    time.input.experts += 4.0 * experts;
}

/// Rows of an expert are copied to a multiple of what products in fewer bits take, and back;
/// HybridEP has them so as they arrive.
void GroupClock::addPadding(const Op& op,
                            const Product& p,
                            GemmType type,
                            SegmentTime& time) const {
    const KernelSettings& kernels = scenario_.settings.kernels;
    if (type == GemmType::Bf16 || type == GemmType::Fp16 || kernels.dispatchOncePerNode ||
        kernels.padToCapacity) {
        return;
    }
    constexpr double kCopyBytes = 4.0;
    const double rows = static_cast<double>(p.rows);
    const double width = static_cast<double>(op.name == "weight1" ? p.depth : p.columns);
    for (PassTime* pass : {&time.forward, &time.input}) {
        pass->device.memory += move(MemoryOp::Copy, kCopyBytes * rows * width);
        pass->launches += 1.0;
    }
}

/// Before a clamped activation its input is taken apart, clamped and joined, each as an operation.
/// Backward compares (once, and twice with both bounds), picks, which goes one by one, and joins.
void GroupClock::addClamps(double elements, SegmentTime& time) const {
    if (!scenario_.model.moe->clampedGlu) {
        return;
    }
    constexpr double kForwardBytes = 16.0;  // of an element that is left: 2·(2+2) + 2·(2+2)
    constexpr double kForwardSteps = 3.0;
    constexpr double kBackwardBytes = 20.0;  // (2+1) + 2·(2+1) + (2+1) + 2·(2+2)
    constexpr double kPickBytes = 5.0;
    constexpr double kBackwardSteps = 7.0;
    const double pick =
        std::max(move(MemoryOp::Elementwise, kPickBytes * elements), oneByOne(elements, true));
    time.forward.device.memory += move(MemoryOp::Elementwise, kForwardBytes * elements);
    time.forward.launches += kForwardSteps;
    time.input.device.memory += move(MemoryOp::Elementwise, kBackwardBytes * elements) + 2.0 * pick;
    time.input.launches += kBackwardSteps;
}

}  // namespace fabricast
