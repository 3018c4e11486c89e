#pragma once
#include "planner/base/result.h"
#include "planner/spec/model_spec.h"
#include "planner/spec/settings.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// This is how each model library runs a layer: what the stacks' default settings start from.
KernelSettings huggingFaceKernels();
KernelSettings torchtitanKernels();
KernelSettings megatronKernels();

/// The profile of the software that runs a model's layers: "torch-eager", "torch-compiled",
/// "megatron" or "transformer-engine".
std::string_view softwareName(const Settings& settings);
/// A narrower name, whose profile is taken where there is one: "huggingface-eager".
std::string_view modelCodeName(const Settings& settings);

// Which models the packages of a stack have code for. A stack can be forecast for any: this is what
// a search leaves out that was not told a stack, and what no launch files are written for.

/// The family's code is in a release of the stack, as the refusal says where it is not.
Result<void> checkHasCode(std::string_view stack, const ModelSpec& model);

/// Its launch files can be written as well: its packages have a config of the model, or can be told
/// one. What fails here is refused by emit, and left out by a search that was not told a stack.
Result<void> checkHasConfig(std::string_view stack, const ModelSpec& model, Tuning tuning);

/// What of a model would be the user's own: its code, or its config. Nothing
/// where the packages have both.
std::optional<std::string> ownPartNote(std::string_view stack,
                                       const ModelSpec& model,
                                       Tuning tuning);

/// The rules of one stack: pretrain_gpt.py of Megatron-Core, and torchtitan/models.
Result<void> checkMegatronCode(const ModelSpec& model);
/// Recipes of Megatron Bridge 0.3.1 for a family that pretrain_gpt.py has no arguments for:
/// "megatron.bridge.recipes.gpt_oss". Empty: it has none.
std::string_view bridgeRecipesOf(const ModelSpec& model);
Result<void> checkTitanCode(const ModelSpec& model);
/// Adapters are of 0.3.0 alone.
Result<void> checkTitanConfig(const ModelSpec& model, Tuning tuning);
/// Why llama3 of torchtitan 0.2.2 cannot be told a model's sizes. Empty: it can.
/// Heads make up the hidden width there, and the head has a matrix of its own.
std::string whyNoTitanFlavor(const ModelSpec& model);

/// Whether a config of torchtitan's, of either release, is of that model.
bool isTitanConfig(const ModelSpec& model);

}  // namespace fabricast
