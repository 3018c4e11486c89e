#pragma once
#include "planner/launch/launch_files.h"
#include "planner/launch/scenario_draft.h"

namespace fabricast {

// Layers of deepspeed.moe, which the script makes and no file of DeepSpeed has: their sizes are
// arguments of the script, as Megatron-DeepSpeed's pretrain_gpt.py takes them.

/// "--num-experts 8 --moe-expert-parallel-size 8 --topk 2 …" behind the script of run.sh, and what
/// makes them; nothing for a plan without such layers.
void addExpertArguments(const Scenario& scenario, LaunchFiles& files);

/// These of a script's arguments, behind a file's own keys.
void appendExpertArguments(const LaunchKeys& script, LaunchKeys& keys);

/// What they say: layout.ep, and settings of the layer. Experts, routes and residual ones are the
/// model's.
Result<void> importExpertArguments(ScenarioDraft& draft);

}  // namespace fabricast
