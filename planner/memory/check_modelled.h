#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Whether memory is modelled of this way to train: experts, adapters, parts that are frozen,
/// activations on the host and reference models, by the model, the settings, and how the ranks are
/// divided. It is the same for every order of the pipeline, micro-batch and recomputation.
Result<void> checkModelled(const Scenario& scenario);

}  // namespace fabricast
