#pragma once
#include "planner/launch/launch_files.h"
#include "planner/launch/scenario_draft.h"
#include "planner/spec/scenario.h"

#include <functional>
#include <string>
#include <vector>

namespace fabricast {

// Liger's kernels in transformers' models: the fused loss, the norm, the rotary embedding and the
// activation, each by a setting of its own.

/// "--use_liger_kernel" behind the script of run.sh; a command line cannot turn single kernels off,
/// which is said.
void addLigerArguments(const Scenario& scenario, LaunchFiles& files);
/// What liger_kernel_config says of the kernels that are not wanted, "{"rope": False}": all that
/// there are for a family are on by default. Empty: all of them are wanted.
std::string ligerConfig(const Scenario& scenario);
/// Axolotl's key of each kernel that is on: "liger_rms_norm".
void addLigerKeys(const Scenario& scenario, const std::function<void(const std::string&)>& turnOn);
/// The function that patches this model's code, "apply_liger_kernel_to_llama"; and its call.
std::string ligerFunction(const ModelSpec& model);
std::string ligerCall(const Scenario& scenario);
/// What these say is told.
void eraseLigerSettings(std::vector<std::string>& untold);

/// "--use_liger_kernel" with its "--liger_kernel_config".
Result<void> importLigerArguments(ScenarioDraft& draft);
/// "liger_rms_norm: true" and the other keys of Axolotl's plugin. Its other losses are refused: cut
/// cross entropy makes no logits at all, and the chunked one whole ones that are cast in parts.
Result<void> importAxolotlLoss(ScenarioDraft& draft);
/// A call of `ligerFunction` for whatever model.
Result<void> importLigerCall(ScenarioDraft& draft);

}  // namespace fabricast
