#pragma once
#include "planner/base/result.h"
#include "planner/load/load_question.h"
#include "planner/profiles/profile_store.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

// The model that is asked for, and what of its file is left out.

/// Where neither a model nor a cluster is given, one error lists both.
Result<void> checkGiven(const ScenarioRequest& request);

Result<ModelSpec> modelOf(const ScenarioRequest& request,
                          const ProfileStore& profiles,
                          const Folders& folders);

/// What of the model's file is left out.
void addModelNotes(const ModelSpec& model, std::vector<std::string>& assumed);

// The settings of a scenario, and whether they go together; `assumed` gets what nobody said.

/// What is typed of the layout, with what settings say of it: Megatron's distributed optimizer is
/// its way to divide the states.
PartialLayout layoutOf(const ScenarioRequest& request, const Stack& stack);

/// The stack's defaults for the scenario's model and layout, and the user's overrides.
Result<Settings> settingsOf(const ScenarioRequest& request,
                            const Stack& stack,
                            const Scenario& scenario);

/// Which attention runs where PyTorch's own cannot compute the model's and nobody said which.
void addAttentionNote(const ScenarioRequest& request,
                      const Scenario& scenario,
                      std::vector<std::string>& assumed);

/// NCCL's variables change what it holds, and in this forecast no time.
void addNcclNote(const Scenario& scenario, std::vector<std::string>& assumed);

/// The GPU has to multiply in the types of the settings: bf16 on a V100 runs nowhere.
Result<void> checkMultiplies(const Scenario& scenario);

/// What a stack says of a scenario, with a hint that its GPU can follow: none is told to compute in
/// bf16 that does not multiply in it.
Result<void> hintedFor(const Scenario& scenario, Result<void> checked);

/// LoRA settings have no effect in full training; missing ones are assumed.
Result<void> checkTuning(const ScenarioRequest& request,
                         const ModelSpec& model,
                         const Stack& stack,
                         const Settings& settings,
                         std::vector<std::string>& assumed);

/// What of a mixture's experts adapters and few bits leave as it is: the most of its weights.
void addExpertsOfAdapters(const ScenarioRequest& request,
                          const ModelSpec& model,
                          const Settings& settings,
                          std::vector<std::string>& assumed);

/// Where a base of 4 bits does not fit a GPU that loads it whole before it is cut.
void addLoadingNote(const ScenarioRequest& request,
                    const Stack& stack,
                    const Scenario& scenario,
                    std::vector<std::string>& assumed);

// The stack that runs a scenario; `assumed` gets what nobody said.

/// Whether it asks for LoRA.
bool trainsAdapters(const ScenarioRequest& request);

/// Whether some of the model's weights are frozen: adapters are trained, or a part of them.
bool freezesSome(const ScenarioRequest& request);

/// torchtitan by default, and of a model that it has no code for, or a GPU whose precision it does
/// not have, the first stack that has both and the keys of the layout; where weights are frozen
/// fsdp2, or ddp on one GPU. What a named stack lacks of the model is said.
Result<const Stack*> stackOf(const ScenarioRequest& request,
                             const ModelSpec& model,
                             const GpuSpec& gpu,
                             std::vector<std::string>& assumed);

/// Says what of the model would be the user's own under a stack that is named.
void addOwnPartNote(const ScenarioRequest& request,
                    const ModelSpec& model,
                    std::string_view stack,
                    std::vector<std::string>& assumed);

}  // namespace fabricast
