#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

// What files of Axolotl and arguments of Hugging Face's Trainer say by transformers' names; `from`
// is the key that says it.

/// "adamw_torch_fused": ours, with the library that runs it.
Result<void> importTrainerOptimizer(ScenarioDraft& draft, std::string_view from);

/// "flash_attention_2", "sdpa", "eager"; `usual` where nobody says.
Result<void> importAttention(ScenarioDraft& draft, std::string_view from, std::string_view usual);

/// "q+v" of q_proj and v_proj; an error at a name that is of no linear layer.
Result<std::string> adapterTargets(const LaunchKeys& keys, const LaunchKey& key);
/// "experts", "router" or both, of a list of target_parameters; empty: it names none.
Result<std::string> stackTargets(LaunchKeys& keys, std::string_view from);
/// `settings.lora.modules_to_save` of what a file names; another module is refused.
Result<void> importSavedModules(ScenarioDraft& draft, std::string_view from);

/// "--max_length" and "--gradient_checkpointing" of a program beside a file that has neither.
Result<void> importSampleArguments(ScenarioDraft& draft);

/// Adapters of TRL's ModelConfig ("--use_peft", "--lora_r"), with what it has without them.
Result<void> importPeft(ScenarioDraft& draft);

}  // namespace fabricast
