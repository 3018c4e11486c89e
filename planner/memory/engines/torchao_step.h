#pragma once
#include "planner/memory/engines/optimizer_state.h"

namespace fabricast {

/// bitsandbytes and torchao alike leave the moments of smaller tensors as they are.
inline constexpr std::int64_t kLeastQuantised = 4096;
inline constexpr std::int64_t kByteBlock = 256;    ///< 8-bit codes under one fp32 scale
inline constexpr std::int64_t kNibbleBlock = 128;  ///< 4-bit codes under one fp32 scale

/// Elements of one block of the moments that torchao keeps for this optimizer. transformers'
/// Trainer, which steps norms and biases apart, asks for 256 whatever the bits.
constexpr std::int64_t torchAoBlock(const OptimizerSettings& optimizer) {
    const bool isTrainers = optimizer.decayGroups;
    return optimizer.kind == OptimizerKind::AdamW4bit && !isTrainers ? kNibbleBlock : kByteBlock;
}

/// torchao quantises moments that are whole blocks.
constexpr bool torchAoQuantises(const OptimizerSettings& optimizer, const StepTensor& tensor) {
    return tensor.elements >= kLeastQuantised && tensor.elements % torchAoBlock(optimizer) == 0;
}

/// Whether inductor finds one kernel for the whole step of this tensor: where the blocks are pieces
/// of its rows, or its rows pieces of the blocks.
///     stepsInOneKernel({.elements = 640 * 896, .innermost = 896});  // false: 3.5 blocks a row
constexpr bool stepsInOneKernel(const StepTensor& tensor) {
    const std::int64_t row = tensor.innermost > 0 ? tensor.innermost : tensor.elements;
    return row % kByteBlock == 0 || kByteBlock % row == 0;
}

/// What torchao's step takes for its length: torch.compile's step of one parameter after another,
/// or, with the kernel "for_loop", the same without torch.compile.
std::int64_t torchAoTemporaries(const OptimizerSettings& optimizer,
                                const std::vector<StepTensor>& tensors);

}  // namespace fabricast
