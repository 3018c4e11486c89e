#pragma once
#include "planner/base/result.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

// Parts of Megatron's arguments as keys of a scenario; the layout stands beside importMegatron.

/// The shape of a decoder as Llama, Mistral, Mixtral, Qwen 2 or Qwen 3 have it; of other kinds -m
/// says the model.
Result<void> importMegatronModel(ScenarioDraft& draft);
Result<void> importMegatronPrecision(ScenarioDraft& draft);
Result<void> importRecompute(ScenarioDraft& draft);
Result<void> importMegatronKernels(ScenarioDraft& draft);
Result<void> importMegatronExperts(ScenarioDraft& draft);

/// The stack and the shards of --use-megatron-fsdp; nothing without it.
Result<void> importMegatronFsdp(ScenarioDraft& draft);

/// LoRA of Bridge and NeMo: "peft" with "peft.dim" and the groups of weights that it adapts.
Result<void> importMegatronAdapters(ScenarioDraft& draft);

}  // namespace fabricast
