#pragma once
#include "planner/launch/scenario_draft.h"

namespace fabricast {

/// What a script sets of PyTorch's allocator, in PYTORCH_ALLOC_CONF, or in PYTORCH_CUDA_ALLOC_CONF
/// where that is not set: "settings.allocator", "settings.max_split_size_mb" and
/// "settings.roundup_power2_divisions". Options that are not modelled are noted.
void importAllocator(ScenarioDraft& draft);

}  // namespace fabricast
