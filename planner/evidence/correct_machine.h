#pragma once
#include "planner/spec/cluster_spec.h"

namespace fabricast {

/// Multiplies the speed of a GPU's kernels by what its own runs say of them.
void correctKernels(KernelProfile& kernels, const MachineFactors& factors);

/// The same of a node: its GPU, and what its collectives and its host are multiplied by
/// (NodeSpec::own).
void correctNode(NodeSpec& node, const MachineFactors& factors);

}  // namespace fabricast
