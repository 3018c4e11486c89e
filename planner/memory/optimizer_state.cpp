#include "planner/memory/optimizer_state.h"

#include <algorithm>

namespace fabricast {

namespace {

constexpr std::int64_t kFp32 = 4;
/// Smaller tensors keep unquantised moments (bitsandbytes and torchao alike).
constexpr std::int64_t kLeastQuantised = 4096;
/// bitsandbytes pages out the moments of tensors from this many elements on.
constexpr std::int64_t kLeastPaged = 100'000;
constexpr std::int64_t kByteBlock = 256;    ///< 8-bit codes under one fp32 scale
constexpr std::int64_t kNibbleBlock = 128;  ///< 4-bit codes under one fp32 scale

std::int64_t blocks(std::int64_t elements, std::int64_t block) {
    return (elements + block - 1) / block;
}

/// torch counts steps in a tensor, which lies on the device only for fused kernels.
std::int64_t stepCounter(const OptimizerSettings& optimizer) {
    return optimizer.kernel == OptimizerKernel::Fused ? kFp32 : 0;
}

StateBytes adamW(const OptimizerSettings& optimizer, const StepTensor& tensor) {
    return {.device = 2 * tensor.width * tensor.elements + stepCounter(optimizer)};
}

/// bitsandbytes: `moments` tensors of one byte an element and one fp32 scale a block; the code
/// tables are shared by all tensors. Small ones stay fp32.
StateBytes bitsAndBytes(const StepTensor& tensor, std::int64_t moments, bool paged) {
    const std::int64_t n = tensor.elements;
    if (n < kLeastQuantised) {
        return {.device = moments * kFp32 * n};
    }
    const std::int64_t scales = moments * kFp32 * blocks(n, kByteBlock);
    if (paged && n >= kLeastPaged) {
        return {.device = scales, .host = moments * n};
    }
    return {.device = moments * n + scales};
}

/// torchao: two subclassed tensors, each with codes, scales and its own code table of `table`
/// bytes.
StateBytes torchAo(const OptimizerSettings& optimizer,
                   const StepTensor& tensor,
                   std::int64_t bits,
                   std::int64_t table) {
    const std::int64_t n = tensor.elements;
    const std::int64_t block = bits == 4 ? kNibbleBlock : kByteBlock;
    if (n < kLeastQuantised || n % block != 0) {
        return adamW(optimizer, tensor);
    }
    return {.device = 2 * (n * bits / 8 + kFp32 * (n / block) + table) + stepCounter(optimizer)};
}

/// Row and column means of the squared gradient for a matrix, all of them for a vector; in fp32.
StateBytes adafactor(const StepTensor& tensor) {
    if (tensor.columns == 0) {
        return {.device = kFp32 * tensor.elements};
    }
    return {.device = kFp32 * (tensor.elements / tensor.columns + tensor.columns)};
}

std::int64_t largest(const std::vector<StepTensor>& tensors) {
    std::int64_t most = 0;
    for (const StepTensor& tensor : tensors) {
        most = std::max(most, tensor.elements * tensor.width);
    }
    return most;
}

std::int64_t allBytes(const std::vector<StepTensor>& tensors) {
    std::int64_t sum = 0;
    for (const StepTensor& tensor : tensors) {
        sum += tensor.elements * tensor.width;
    }
    return sum;
}

/// A foreach step forms the square roots of all second moments at once, a loop over tensors one
/// root and its quotient at a time, a fused kernel nothing.
std::int64_t adamTemporaries(OptimizerKernel kernel, const std::vector<StepTensor>& tensors) {
    switch (kernel) {
        case OptimizerKernel::Foreach:
            return allBytes(tensors);
        case OptimizerKernel::ForLoop:
            return 2 * largest(tensors);
        case OptimizerKernel::Fused:
        case OptimizerKernel::DeepSpeed:
            break;
    }
    return 0;
}

/// Four fp32 tensors of the largest parameter's size: squares, their root, the update, its copy.
std::int64_t adafactorTemporaries(const std::vector<StepTensor>& tensors) {
    std::int64_t most = 0;
    for (const StepTensor& tensor : tensors) {
        most = std::max(most, tensor.elements);
    }
    return 4 * kFp32 * most;
}

}  // namespace

std::vector<StepTensor> parameterTensors(const std::vector<Unit>& units, std::int64_t width) {
    std::vector<StepTensor> tensors;
    for (const Unit& unit : units) {
        for (const WeightUse& use : unit.weights) {
            if (use.trained && !use.tied) {
                tensors.push_back({.elements = use.elements, .width = width});
            }
        }
    }
    return tensors;
}

StateBytes optimizerState(const OptimizerSettings& optimizer, const StepTensor& tensor) {
    const bool torchao = optimizer.library == LowBitLibrary::TorchAo;
    constexpr std::int64_t kByteTable = 256 * kFp32;
    constexpr std::int64_t kNibbleTable = 16 * kFp32;
    switch (optimizer.kind) {
        case OptimizerKind::AdamW:
            break;
        case OptimizerKind::AdamW8bit:
            return torchao ? torchAo(optimizer, tensor, 8, kByteTable)
                           : bitsAndBytes(tensor, 2, false);
        case OptimizerKind::PagedAdamW8bit:
            return bitsAndBytes(tensor, 2, true);
        case OptimizerKind::AdamW4bit:
            return torchAo(optimizer, tensor, 4, kNibbleTable);
        case OptimizerKind::AdamWFp8:
            return torchAo(optimizer, tensor, 8, 0);
        case OptimizerKind::Adafactor:
            return adafactor(tensor);
        case OptimizerKind::Lion:
            return {.device = kFp32 * tensor.elements};
        case OptimizerKind::Lion8bit:
            return bitsAndBytes(tensor, 1, false);
        case OptimizerKind::Sgd:
            return {};
        case OptimizerKind::SgdMomentum:
            return {.device = tensor.width * tensor.elements};
        case OptimizerKind::Muon:
            if (tensor.hiddenMatrix) {
                return {.device = tensor.width * tensor.elements};
            }
            break;
    }
    return adamW(optimizer, tensor);
}

std::int64_t stepTemporaries(const OptimizerSettings& optimizer,
                             const std::vector<StepTensor>& tensors) {
    switch (optimizer.kind) {
        case OptimizerKind::AdamW:
            return adamTemporaries(optimizer.kernel, tensors);
        case OptimizerKind::Adafactor:
            return adafactorTemporaries(tensors);
        default:
            break;
    }
    return 0;
}

}  // namespace fabricast
