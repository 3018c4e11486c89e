#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

/// The class of transformers that one block of a model is, "LlamaDecoderLayer"; empty: not known
/// here, and the library finds it itself.
std::string blockClassOf(const ModelSpec& model);

/// transformers' name of an optimizer: "adamw_torch_fused".
Result<std::string> trainerOptimizer(const OptimizerSettings& optimizer);

/// "flash_attention_2", "sdpa" or "eager".
std::string attentionName(const KernelSettings& kernels);

}  // namespace fabricast
