#pragma once
#include "planner/launch/scenario_draft.h"

namespace fabricast {

/// What a script or a program sets of PyTorch's allocator, in the variable that PyTorch looks at:
/// "settings.allocator", "settings.max_split_size_mb" and "settings.roundup_power2_divisions".
/// Options that are not modelled, or that PyTorch refuses, are noted.
void importAllocator(ScenarioDraft& draft);

}  // namespace fabricast
