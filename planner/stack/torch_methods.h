#pragma once
#include "planner/spec/settings.h"

#include <array>

namespace fabricast {

/// This is what plain PyTorch training loops can use: any optimizer there is, and torchao's 8-bit
/// and 4-bit linears.
inline constexpr std::array kEveryOptimizer = {OptimizerKind::AdamW,
                                               OptimizerKind::AdamW8bit,
                                               OptimizerKind::AdamW4bit,
                                               OptimizerKind::AdamWFp8,
                                               OptimizerKind::PagedAdamW8bit,
                                               OptimizerKind::Adafactor,
                                               OptimizerKind::Lion,
                                               OptimizerKind::Lion8bit,
                                               OptimizerKind::Sgd,
                                               OptimizerKind::SgdMomentum,
                                               OptimizerKind::Muon};
inline constexpr std::array kTorchaoLinears = {Quantization::Fp8Tensorwise,
                                               Quantization::Fp8Rowwise,
                                               Quantization::Fp8RowwiseGwHp,
                                               Quantization::MxFp8,
                                               Quantization::NvFp4};
inline constexpr std::array kEveryCompute = {Dtype::Bf16, Dtype::Fp16, Dtype::Fp32};

/// gradient_checkpointing and checkpoint_wrapper: every block, whole.
inline constexpr std::array kWholeBlocks = {Checkpointing::Full};
/// --recompute-granularity full (uniform and block) and selective (by module).
inline constexpr std::array kMegatronRecompute = {
    Checkpointing::Full, Checkpointing::Block, Checkpointing::Modules};

constexpr bool isEightBit(OptimizerKind kind) {
    return kind == OptimizerKind::AdamW8bit || kind == OptimizerKind::PagedAdamW8bit ||
           kind == OptimizerKind::Lion8bit;
}

}  // namespace fabricast
