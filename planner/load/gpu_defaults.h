#pragma once
#include "planner/base/result.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/scenario.h"
#include "planner/stack/stack.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

// Defaults that follow the GPU: the stacks' own are those of Ampere and later. What is typed stays,
// and is refused where it does not run.

/// The settings with fp16 for a bf16 that the GPU does not multiply in, where the stack has fp16,
/// and with the attention that runs where FlashAttention's kernels do not.
Result<Settings> withGpuDefaults(const ScenarioRequest& request,
                                 const Stack& stack,
                                 const GpuSpec& gpu,
                                 Settings settings);

/// Says which of both it is.
void addGpuNotes(const ScenarioRequest& request,
                 const Scenario& scenario,
                 std::vector<std::string>& assumed);

/// Whether the stack multiplies in what is asked of it, or else in what the GPU has.
bool multipliesIn(const ScenarioRequest& request, const Stack& stack, const GpuSpec& gpu);

/// Why a search that was told no stack leaves this one out: it has no code or config for the model,
/// or does not multiply in what the GPU has. Empty: it does not.
std::string whyLeftOut(const ScenarioRequest& request,
                       std::string_view stack,
                       const ModelSpec& model,
                       const GpuSpec& gpu);

/// An attention that was typed has to run on the GPU.
Result<void> checkAttends(const Scenario& scenario);

}  // namespace fabricast
