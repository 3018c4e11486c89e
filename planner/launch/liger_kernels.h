#pragma once
#include "planner/launch/launch_files.h"
#include "planner/launch/scenario_draft.h"
#include "planner/spec/scenario.h"

#include <string>

namespace fabricast {

// Liger's kernels in transformers' models, of which the fused loss is forecast: the others are
// turned off where files are written, and said where they are read.

/// The loss behind the script of run.sh, in TrainingArguments' words; a command line cannot turn
/// the other kernels off.
void addLigerArguments(const Scenario& scenario, LaunchFiles& files);
/// The function that patches this model's code, "apply_liger_kernel_to_llama"; and its arguments.
std::string ligerFunction(const ModelSpec& model);
std::string ligerCall(const ModelSpec& model);

/// "--use_liger_kernel" with its "--liger_kernel_config".
Result<void> importLigerArguments(ScenarioDraft& draft);
/// "liger_fused_linear_cross_entropy: true"; Axolotl's other losses are refused: cut cross entropy
/// makes no logits at all, and the chunked one whole ones that are cast in parts.
Result<void> importAxolotlLoss(ScenarioDraft& draft);
/// A call of `ligerFunction` for whatever model.
Result<void> importLigerCall(ScenarioDraft& draft);

}  // namespace fabricast
