#include "planner/memory/engines/optimizer_state.h"
#include "planner/memory/engines/torchao_step.h"

#include <algorithm>

namespace fabricast {

namespace {

/// PyTorch 2.15 takes a cuBLAS workspace for the length of each GEMM (32 MiB on sm_90).
constexpr std::int64_t kGemmWorkspace = std::int64_t{32} << 20;

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
        case OptimizerKernel::BitsAndBytes:
            break;
    }
    return 0;
}

std::int64_t roundDownToPowerOfTwo(std::int64_t value) {
    std::int64_t power = 1;
    while (power * 2 <= value) {
        power *= 2;
    }
    return power;
}

/// Bytes that PyTorch's reduction kernel takes to add up the rows of a fp32 matrix: partial sums of
/// the thread blocks that share a column, for 132 multiprocessors of 2048 threads.
std::int64_t rowSumBuffer(std::int64_t rows, std::int64_t columns) {
    constexpr std::int64_t kThreads = 512;
    constexpr std::int64_t kWarp = 32;
    constexpr std::int64_t kMultiprocessors = 132;
    constexpr std::int64_t kThreadsEach = 2048;
    constexpr std::int64_t kFewValues = 16;
    constexpr std::int64_t kManyValues = 256;
    const auto divideUp = [](std::int64_t a, std::int64_t b) { return (a + b - 1) / b; };
    const std::int64_t vector = columns % 4 == 0 ? 4 : columns % 2 == 0 ? 2 : 1;
    const std::int64_t most = kThreads / vector;
    const std::int64_t wide = roundDownToPowerOfTwo(std::min(columns / vector, most));
    const std::int64_t tall = roundDownToPowerOfTwo(std::min(rows, most));
    std::int64_t width = std::min(wide, kWarp);
    const std::int64_t height = std::min(tall, most / width);
    width = std::min(wide, most / height);
    if (rows < std::min(height * kFewValues, kManyValues)) {
        return 0;
    }
    const std::int64_t values = divideUp(rows, height);
    const std::int64_t grid = divideUp(columns / vector, width);
    const std::int64_t target = kMultiprocessors * (kThreadsEach / (width * height));
    if (values < kManyValues || grid > target) {
        return 0;
    }
    const std::int64_t blocks =
        std::max(std::min(divideUp(target, grid), divideUp(values, kFewValues)),
                 divideUp(values, kManyValues));
    return blocks > 1 ? kFp32 * columns * blocks * width * vector : 0;
}

/// transformers' Adafactor, one parameter after another, all in fp32: the gradient's and the
/// parameter's copies where they are narrower, the update, and what each line makes beside it. The
/// last parameter's update lives on until the next one's first is complete.
std::int64_t adafactorTemporaries(const std::vector<StepTensor>& tensors) {
    std::int64_t most = 0;
    std::int64_t lastUpdate = 0;
    for (const StepTensor& tensor : tensors) {
        const std::int64_t whole = kFp32 * tensor.elements;
        const std::int64_t copies = tensor.width < kFp32 ? 2 * whole : 0;
        std::int64_t beside = whole;  // the next update, or its negative
        if (tensor.columns > 0) {
            const std::int64_t means =
                rowSumBuffer(tensor.elements / tensor.columns, tensor.columns);
            beside = std::max(beside, means + kFp32 * tensor.columns);
        }
        most = std::max({most, copies + lastUpdate + 2 * whole, copies + whole + beside});
        lastUpdate = whole;
    }
    return most;
}

constexpr std::int64_t kBf16Bytes = 2;

/// The update and its bf16 form before and after a GEMM, two square products of the shorter side.
std::int64_t muonOfMatrix(const StepTensor& tensor) {
    const std::int64_t n = tensor.elements;
    const std::int64_t columns = tensor.innermost;
    const std::int64_t side = std::min(n / columns, columns);
    return tensor.width * n + 2 * kBf16Bytes * n + 2 * kBf16Bytes * side * side;
}

/// DTensor keeps each rank's columns of the narrow form: the square products are whole on every
/// rank, each once more before it is added up over the ranks. A wide matrix is cut along its narrow
/// side: it crosses to the other cut, sent and received, at most; two ranks gather it instead, and
/// halve the square products.
std::int64_t muonOfShard(const StepTensor& tensor) {
    const std::int64_t n = tensor.elements;
    const std::int64_t whole = tensor.wholeRows * tensor.innermost;
    const std::int64_t side = std::min(tensor.wholeRows, tensor.innermost);
    const std::int64_t square = kBf16Bytes * side * side;
    if (n >= whole) {
        return muonOfMatrix(tensor);
    }
    if (tensor.wholeRows > tensor.innermost) {
        return tensor.width * n + 2 * kBf16Bytes * n + 3 * square;
    }
    return tensor.width * n + (2 * n >= whole ? kBf16Bytes * (n + whole) + 3 * square / 2
                                              : 3 * kBf16Bytes * n + 3 * square);
}

/// torch's Muon: the update of one matrix at a time, orthogonalised in bf16 by five GEMM rounds
/// whose square products have the shorter side; the other parameters go to a foreach AdamW.
std::int64_t muonTemporaries(const std::vector<StepTensor>& tensors) {
    std::vector<StepTensor> rest;
    std::int64_t most = 0;
    for (const StepTensor& tensor : tensors) {
        if (!tensor.hiddenMatrix) {
            rest.push_back(tensor);
            continue;
        }
        const std::int64_t matrix =
            tensor.wholeRows > 0 ? muonOfShard(tensor) : muonOfMatrix(tensor);
        most = std::max(most, matrix + kGemmWorkspace);
    }
    return std::max(most, adamTemporaries(OptimizerKernel::Foreach, rest));
}

}  // namespace

std::int64_t stepTemporaries(const OptimizerSettings& optimizer,
                             const std::vector<StepTensor>& tensors) {
    const bool torchao = optimizer.library == LowBitLibrary::TorchAo;
    switch (optimizer.kind) {
        case OptimizerKind::AdamW:
            return adamTemporaries(optimizer.kernel, tensors);
        case OptimizerKind::AdamW8bit:
            return torchao ? torchAoTemporaries(optimizer, tensors) : 0;
        case OptimizerKind::AdamW4bit:
        case OptimizerKind::AdamWFp8:
            return torchAoTemporaries(optimizer, tensors);
        case OptimizerKind::Adafactor:
            return adafactorTemporaries(tensors);
        case OptimizerKind::Muon:
            return muonTemporaries(tensors);
        case OptimizerKind::PagedAdamW8bit:
        case OptimizerKind::Lion:
        case OptimizerKind::Lion8bit:
        case OptimizerKind::Sgd:
        case OptimizerKind::SgdMomentum:
            break;
    }
    return 0;
}

}  // namespace fabricast
