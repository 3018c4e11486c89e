#pragma once
#include "study/topology.h"

#include <string>
#include <vector>

namespace fabricast {

/// Names of what can fail in a network, to complete what is typed: switches, nodes, links, then the
/// devices inside nodes. At most so many.
std::vector<std::string> failingNames(const TopologyAnswer& answer, std::size_t most);

/// The names among `names` that this network has.
std::vector<std::string> namesInNetwork(const TopologyAnswer& answer,
                                        const std::vector<std::string>& names);

}  // namespace fabricast
