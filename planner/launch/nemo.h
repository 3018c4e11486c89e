#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"

#include <optional>
#include <string>

namespace fabricast {

/// Adapters of NeMo 1's "model.peft", by the names of Bridge's LoRA: "peft", "peft.dim",
/// "peft.target_modules" with "linear_qkv" of "attention_qkv". Without target modules they are on
/// attention_qkv, as NeMo 1 has it.
Result<void> addNemoAdapters(const LaunchKeys& yaml, LaunchKeys& keys);

/// Whether YAML is a configuration of NeMo 1's language models: "model" with its ranks and
/// "trainer".
bool isNemoYaml(const LaunchKeys& yaml);

/// The key that is read, where another differs from it in a letter or two:
/// "model.sequence_parallel" of "model.sequence_paralel". Empty where there is none.
std::string nemoKeyNear(const std::string& path);

/// Its keys as Megatron's arguments: "--tensor-model-parallel-size" of
/// model.tensor_model_parallel_size, "torchrun --nnodes" of trainer.num_nodes, and its adapters.
Result<LaunchKeys> argumentsOfNemoYaml(const LaunchKeys& yaml);

/// "model.sequence_parallel: true" of "--sequence-parallel"; nothing where NeMo 1 has no key for
/// it.
std::optional<std::string> nemoKeyOf(const std::string& flag);

}  // namespace fabricast
