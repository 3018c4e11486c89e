#pragma once
#include "simulator/topology/topology_facts.h"

#include <string>

namespace fabricast {

/// For Graphviz: every device and link of a small topology; of a large one the first node and the
/// switches above it.
std::string topologyDot(const DescribedTopology& described, const TopologyFacts& facts);

/// Our own drawing, for a page or a browser: the first node, with the switches above it in summary.
/// The weakest cut is orange, what failed red.
std::string topologySvg(const DescribedTopology& described, const TopologyFacts& facts);

}  // namespace fabricast
