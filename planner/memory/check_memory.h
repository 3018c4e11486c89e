#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Whether a scenario that tunes by LoRA says something that PEFT can do and that is modelled.
Result<void> checkLora(const Scenario& scenario);
/// What is not modelled beside them, engine by engine.
Result<void> checkLoraBeside(const Scenario& scenario);

/// Whether memory is modelled of this way to train: experts, adapters, parts that are frozen,
/// activations on the host and reference models, by the model, the settings, and how the ranks are
/// divided. It is the same for every order of the pipeline, micro-batch and recomputation.
Result<void> checkModelled(const Scenario& scenario);

/// Refuses a scenario that no arithmetic of memory can be done on: counts below one, parts that do
/// not divide, and sizes whose bytes would not fit 64 bits. What a framework refuses beyond that is
/// its stack's business.
Result<void> checkScenario(const Scenario& scenario);

}  // namespace fabricast
