#pragma once
#include "planner/spec/kernel_profile.h"

namespace fabricast {

/// The same GPU with nothing that makes small kernels slower than their share of a large one: no
/// launches, no part-filled waves or tiles, no bandwidth where arithmetic bounds. No kernel is
/// faster by the profile itself, and times grow in proportion to the work.
KernelProfile limitsOf(const KernelProfile& profile);

}  // namespace fabricast
