#pragma once
#include "planner/launch/launch_keys.h"

#include <array>
#include <string_view>

namespace fabricast {

/// Axolotl's own kernels for adapters: fused products and activations.
inline constexpr std::array kLoraKernels = {"lora_mlp_kernel", "lora_qkv_kernel", "lora_o_kernel"};

/// Whether an `attn_implementation` keeps samples that are packed in one sequence apart, as
/// Axolotl has it (ATTN_IMPLS_SUPPORTING_PACKING of schemas/enums.py); under its old names, too.
bool separatesSamples(std::string_view attention);

/// What is typed behind Axolotl's file, as keys of it: "--micro-batch-size 8" is micro_batch_size,
/// and "--no-bf16" says that bf16 is false. Without the options of the command itself.
LaunchKeys axolotlArguments(const LaunchKeys& script);

}  // namespace fabricast
