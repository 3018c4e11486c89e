#pragma once
#include "planner/spec/cluster_spec.h"
#include "simulator/network/cluster_topology.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Reads what `nvidia-smi topo -m` prints: GPUs and NICs of one node, and what lies between each
/// two (X, SYS, NODE, PHB, PXB, PIX, NV#). It has no rates: those are the GPU's, and a NIC is
/// assumed to be as fast as its slot. Errors have file:line.
Result<DescribedTopology> topoMatrix(std::string_view text,
                                     const std::string& source,
                                     const GpuSpec& gpu);

/// Whether a text is one: a line that begins with GPU0 behind it.
bool isTopoMatrix(std::string_view text);

}  // namespace fabricast
