#include "planner/memory/engines/optimizer_state.h"

#include "planner/memory/engines/torchao_step.h"

namespace fabricast {

namespace {

/// bitsandbytes pages out the moments of tensors from this many elements on.
constexpr std::int64_t kLeastPaged = 100'000;

std::int64_t blocks(std::int64_t elements, std::int64_t block) {
    return (elements + block - 1) / block;
}

/// torch counts steps in a tensor, which lies on the device only for fused kernels.
std::int64_t stepCounter(const OptimizerSettings& optimizer) {
    return optimizer.kernel == OptimizerKernel::Fused ? kFp32 : 0;
}

StateBytes adamW(const OptimizerSettings& optimizer, const StepTensor& tensor) {
    // bitsandbytes keeps fp32 moments whatever the parameter's type.
    const bool wide = optimizer.kernel == OptimizerKernel::BitsAndBytes;
    const std::int64_t width = wide ? kFp32 : tensor.width;
    return {.device = 2 * width * tensor.elements + stepCounter(optimizer)};
}

/// transformers' Trainer asks bitsandbytes for 32 bits where the parameter is an nn.Embedding's
/// (create_optimizer: register_module_override), a head that is tied to it with it.
bool staysWide(const OptimizerSettings& optimizer, const StepTensor& tensor) {
    const bool isTrainers = optimizer.decayGroups;
    return tensor.elements < kLeastQuantised || (isTrainers && tensor.isTable);
}

/// bitsandbytes: `moments` tensors of one byte an element and one fp32 scale a block; the code
/// tables are shared by all tensors. Small ones stay fp32. Scales are never paged.
StateBytes bitsAndBytes(const OptimizerSettings& optimizer,
                        const StepTensor& tensor,
                        std::int64_t moments,
                        bool paged) {
    const std::int64_t n = tensor.elements;
    const bool wide = staysWide(optimizer, tensor);
    const std::int64_t codes = moments * (wide ? kFp32 : 1) * n;
    const std::int64_t scales = wide ? 0 : moments * kFp32 * blocks(n, kByteBlock);
    if (paged && n >= kLeastPaged) {
        return {.device = scales, .host = codes};
    }
    return {.device = codes + scales};
}

/// torchao: two subclassed tensors, each with codes, scales and its own code table of `table`
/// bytes. It counts steps on the host.
StateBytes torchAo(const OptimizerSettings& optimizer,
                   const StepTensor& tensor,
                   std::int64_t table) {
    const std::int64_t n = tensor.elements;
    if (!torchAoQuantises(optimizer, tensor)) {
        return {.device = 2 * tensor.width * n};
    }
    const std::int64_t codes = optimizer.kind == OptimizerKind::AdamW4bit ? n / 2 : n;
    return {.device = 2 * (codes + kFp32 * (n / torchAoBlock(optimizer)) + table)};
}

/// Row and column means of the squared gradient for a matrix, all of them for a vector, and the
/// root mean square of the parameter; in fp32.
StateBytes adafactor(const StepTensor& tensor) {
    if (tensor.stack > 0) {  // a row and a column of each matrix
        return {.device = kFp32 * (tensor.elements / tensor.stackColumns +
                                   tensor.stack * tensor.stackColumns + 1)};
    }
    if (tensor.columns == 0) {
        return {.device = kFp32 * (tensor.elements + 1)};
    }
    return {.device = kFp32 * (tensor.elements / tensor.columns + tensor.columns + 1)};
}

}  // namespace

std::vector<StepTensor> parameterTensors(const std::vector<Unit>& units, std::int64_t width) {
    std::vector<StepTensor> tensors;
    for (const Unit& unit : units) {
        for (const WeightUse& use : unit.weights) {
            if (use.trained && !use.tied) {
                tensors.push_back(
                    {.elements = use.elements,
                     .width = use.widthOr(width),
                     .columns = use.experts > 0 ? 0 : use.columns,
                     .innermost = use.columns,
                     .stack = use.experts,
                     .stackColumns = use.experts > 0 ? use.columns : 0,
                     .hiddenMatrix = use.inLayer && use.columns > 0 && use.experts == 0});
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
            return torchao ? torchAo(optimizer, tensor, kByteTable)
                           : bitsAndBytes(optimizer, tensor, 2, false);
        case OptimizerKind::PagedAdamW8bit:
            return bitsAndBytes(optimizer, tensor, 2, true);
        case OptimizerKind::AdamW4bit:
            return torchAo(optimizer, tensor, kNibbleTable);
        case OptimizerKind::AdamWFp8:
            return torchAo(optimizer, tensor, 0);
        case OptimizerKind::Adafactor:
            return adafactor(tensor);
        case OptimizerKind::Lion:
            return {.device = kFp32 * tensor.elements};
        case OptimizerKind::Lion8bit:
            return bitsAndBytes(optimizer, tensor, 1, false);
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

std::int64_t sharedStateBytes(const OptimizerSettings& optimizer) {
    constexpr std::int64_t kCodeTable = 256 * kFp32;
    const bool bnb = optimizer.library == LowBitLibrary::BitsAndBytes;
    switch (optimizer.kind) {
        case OptimizerKind::AdamW8bit:
        case OptimizerKind::PagedAdamW8bit:
            return bnb ? 2 * kCodeTable : 0;  // signed and unsigned
        case OptimizerKind::Lion8bit:
            return bnb ? kCodeTable : 0;
        default:
            return 0;
    }
}

}  // namespace fabricast
