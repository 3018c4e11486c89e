#include "planner/memory/engines/torchao_step.h"

#include <algorithm>

namespace fabricast {

namespace {

constexpr std::int64_t kMoments = 2;
constexpr std::int64_t kInt64 = 8;

/// Without torch.compile. In fp32: parameter, gradient and both moments; then quantising one moment
/// by a binary search over its table: the scaled moment, two sets of int64 codes and their values,
/// the residual, its comparison, and the codes chosen.
std::int64_t eagerBytes(const OptimizerSettings& optimizer, const StepTensor& tensor) {
    constexpr std::int64_t kSearch = 4 + 8 + 8 + 4 + 4 + 4 + 1 + 8;
    constexpr std::int64_t kUpdate = 4 + 4 + 4;  // denominator, quotient, and the next of either
    const bool table = optimizer.kind != OptimizerKind::AdamWFp8;
    const std::int64_t n = tensor.elements;
    const std::int64_t wide = (tensor.width < kFp32 ? 4 : 3) * kFp32 * n;
    const std::int64_t scales = kFp32 * (n / torchAoBlock(optimizer));
    return wide + (table ? kSearch * n + scales : kUpdate * n);
}

/// The buffers of the code that inductor makes of single_param_adam. What it can do block by block
/// needs none; 8-bit codes need the new moments and scales where blocks and rows cross; the scales
/// of fp8 are always kept between two kernels; 4-bit codes are paired by another kernel than the
/// one that finds them, which keeps them as int64 with the scaled moments.
std::int64_t compiledBytes(const OptimizerSettings& optimizer, const StepTensor& tensor) {
    if (!torchAoQuantises(optimizer, tensor)) {
        return 0;
    }
    const std::int64_t n = tensor.elements;
    const std::int64_t scales = kMoments * kFp32 * (n / torchAoBlock(optimizer));
    switch (optimizer.kind) {
        case OptimizerKind::AdamW4bit:
            return scales + kMoments * (kFp32 + kInt64) * n;
        case OptimizerKind::AdamWFp8:
            return scales;
        default:
            return stepsInOneKernel(tensor) ? 0 : scales + kMoments * kFp32 * n;
    }
}

}  // namespace

std::int64_t torchAoTemporaries(const OptimizerSettings& optimizer,
                                const std::vector<StepTensor>& tensors) {
    const bool compiled = optimizer.kernel != OptimizerKernel::ForLoop;
    std::int64_t most = 0;
    for (const StepTensor& tensor : tensors) {
        most = std::max(
            most, compiled ? compiledBytes(optimizer, tensor) : eagerBytes(optimizer, tensor));
    }
    return most;
}

}  // namespace fabricast
