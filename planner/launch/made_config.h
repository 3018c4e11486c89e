#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/scenario_draft.h"

#include <string_view>

namespace fabricast {

// A model that a program makes of a configuration that it writes out, from no checkpoint.

/// Whether a class of transformers makes a language model of a configuration:
/// "LlamaForCausalLM", "GPT2LMHeadModel".
bool makesOfConfig(std::string_view called);

/// "model config llama" of LlamaForCausalLM(LlamaConfig(hidden_size=2048)), and
/// "model config.hidden_size"; its weights are in float32 unless from_config is told a type.
/// Nothing where the program loads a checkpoint.
void addMadeConfig(const LaunchKeys& program, LaunchKeys& keys);

/// Whether a program's keys have one.
bool hasMadeConfig(const LaunchKeys& keys);

/// Says that configuration as the draft's model, as a config.json has it.
Result<void> importMadeConfig(ScenarioDraft& draft);

}  // namespace fabricast
