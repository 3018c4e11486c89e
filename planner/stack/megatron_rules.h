#pragma once
#include "planner/stack/stack.h"

namespace fabricast {

/// These are Megatron-LM's own checks (arguments.py, transformer_config.py, parallel_state.py and
/// schedules.py, core 0.16 to 0.20), with their error texts. NeMo and Megatron-FSDP share them.
Result<void> checkMegatronRules(const Scenario& scenario);

}  // namespace fabricast
