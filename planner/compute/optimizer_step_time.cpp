#include "planner/compute/gemm_time.h"
#include "planner/compute/kernel_times.h"
#include "planner/spec/dtype.h"

#include <algorithm>

namespace fabricast {
namespace {

constexpr double kNewtonSchulzRounds = 5.0;

/// The moments of one parameter, as they are stored.
double momentBytes(const Settings& settings) {
    const auto width = [](Dtype dtype) { return static_cast<double>(bytesPerElement(dtype)); };
    const PrecisionSettings& precision = settings.precision;
    double moments = 2.0 * width(precision.moments);
    switch (settings.optimizer.kind) {
        case OptimizerKind::AdamW8bit:
        case OptimizerKind::PagedAdamW8bit:
        case OptimizerKind::AdamWFp8:
            moments = 2.0;
            break;
        case OptimizerKind::AdamW4bit:
            moments = 1.0;
            break;
        case OptimizerKind::Lion:
        case OptimizerKind::SgdMomentum:
        case OptimizerKind::Muon:
            moments = width(precision.moments);
            break;
        case OptimizerKind::Lion8bit:
            moments = 1.0;
            break;
        case OptimizerKind::Adafactor:
        case OptimizerKind::Sgd:
            moments = 0.0;
            break;
        case OptimizerKind::AdamW:
            break;
    }
    return moments;
}

bool isQuantised(OptimizerKind kind) {
    return kind == OptimizerKind::AdamW8bit || kind == OptimizerKind::PagedAdamW8bit ||
           kind == OptimizerKind::AdamWFp8 || kind == OptimizerKind::AdamW4bit ||
           kind == OptimizerKind::Lion8bit;
}

/// Passes over the same bytes: one kernel does all, or one for every operation. bitsandbytes has
/// one kernel for quantised moments, and torch.compile makes one of torchao's step.
double passesOf(const OptimizerSettings& optimizer) {
    constexpr double kOperationByOperation = 2.5;
    switch (optimizer.kernel) {
        case OptimizerKernel::Foreach:
            return isQuantised(optimizer.kind) ? 1.0 : kOperationByOperation;
        case OptimizerKernel::ForLoop:
            return kOperationByOperation;
        default:
            return 1.0;
    }
}

/// What goes to memory and back between the kernels of torchao's compiled step: 4-bit codes are
/// found as int64 beside the scaled moments in fp32, and paired by another kernel.
double betweenKernels(const OptimizerSettings& optimizer) {
    const bool pairs =
        optimizer.kind == OptimizerKind::AdamW4bit && optimizer.kernel != OptimizerKernel::ForLoop;
    return pairs ? 2.0 * 2.0 * (8.0 + 4.0) : 0.0;
}

}  // namespace

double optimizerBytes(const Settings& settings) {
    const auto width = [](Dtype dtype) { return static_cast<double>(bytesPerElement(dtype)); };
    const PrecisionSettings& precision = settings.precision;
    const double master = precision.masterWeights ? 4.0 : 0.0;
    const double once = 2.0 * (momentBytes(settings) + master + width(precision.parameters)) +
                        width(precision.gradients);
    return once * passesOf(settings.optimizer) + betweenKernels(settings.optimizer);
}

Seconds newtonSchulzTime(const KernelProfile& profile,
                         std::int64_t rows,
                         std::int64_t columns,
                         const RateState& state) {
    const std::int64_t narrow = std::min(rows, columns);
    const std::int64_t wide = std::max(rows, columns);
    const Seconds gram = gemmTime(profile, {.m = narrow, .n = narrow, .k = wide}, state);
    const Seconds square = gemmTime(profile, {.m = narrow, .n = narrow, .k = narrow}, state);
    const Seconds apply = gemmTime(profile, {.m = narrow, .n = wide, .k = narrow}, state);
    return (gram + square + apply) * kNewtonSchulzRounds;
}

}  // namespace fabricast
