#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"

namespace fabricast {

/// Whether YAML is a configuration of NeMo 1's language models: "model" with its ranks and
/// "trainer".
bool isNemoYaml(const LaunchKeys& yaml);

/// Its keys as Megatron's arguments: "--tensor-model-parallel-size" of
/// model.tensor_model_parallel_size, "torchrun --nnodes" of trainer.num_nodes, and its adapters.
Result<LaunchKeys> argumentsOfNemoYaml(const LaunchKeys& yaml);

}  // namespace fabricast
