#pragma once
#include "planner/spec/settings.h"

namespace fabricast {

/// This is how each model library runs a layer: what the stacks' default settings start from.
KernelSettings huggingFaceKernels();
KernelSettings torchtitanKernels();
KernelSettings megatronKernels();

}  // namespace fabricast
