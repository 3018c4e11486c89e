#pragma once
#include "planner/base/result.h"
#include "planner/spec/settings.h"

namespace fabricast {

/// What PyTorch's allocator would refuse of PYTORCH_ALLOC_CONF, or is not modelled, by key.
Result<void> checkAllocator(const Settings& settings);

}  // namespace fabricast
