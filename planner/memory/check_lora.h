#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// Whether a scenario that tunes by LoRA says something that PEFT can do and that is modelled.
Result<void> checkLora(const Scenario& scenario);

}  // namespace fabricast
