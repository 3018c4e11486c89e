#pragma once
#include "planner/base/result.h"
#include "simulator/network/topology.h"

#include <string>
#include <vector>

namespace fabricast {

/// The links that are down where so many things failed, in order and each once. A name is that of a
/// link, of a device, whose links all fail, or of a node, which loses its links to all others.
///     linksDown(topology, {"node3/nic2-leaf2", "spine0", "node5"})
Result<std::vector<LinkIndex>> linksDown(const Topology& topology,
                                         const std::vector<std::string>& names);

/// "node3", without its device.
std::string nodeName(const Topology& topology, std::int32_t node);

}  // namespace fabricast
