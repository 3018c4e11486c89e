#pragma once
#include "planner/base/result.h"
#include "simulator/network/topology.h"

#include <cstddef>
#include <span>
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

/// Which GPUs still reach the others: over links inside nodes, and then from a NIC of their own
/// node to one of the other's. No third node hands anything on.
struct GpuReach {
    std::size_t largest = 0;         ///< GPUs of which each reaches each
    std::vector<DeviceIndex> apart;  ///< those that reach none of them, in order
};
GpuReach gpuReach(const Topology& topology);

/// Links between nodes of which the loss of one alone cuts GPUs off from others, in order.
std::vector<LinkIndex> singlePoints(const Topology& topology);

/// The most that one group of GPUs can send to another at once, and the links that limit it.
struct NetworkCut {
    BytesPerSecond bandwidth;
    std::vector<LinkIndex> links;  ///< full, and all that joins the groups: none of them is spare
};

/// This is the max-flow between two groups of GPUs over every path there is, and its min-cut. A
/// node's NICs carry only what its own GPUs send or get. GPUs of one group count as one sender.
NetworkCut weakestCut(const Topology& topology,
                      std::span<const DeviceIndex> from,
                      std::span<const DeviceIndex> to);

/// The two halves whose bandwidth is the bisection bandwidth: the first nodes, in order, against
/// the rest, so that what shares a leaf or a pod stays together; of one node, its GPUs.
struct Halves {
    std::vector<DeviceIndex> first;
    std::vector<DeviceIndex> second;
};
Halves halvesOf(const Topology& topology);

/// The cut between the halves; nothing for a single GPU.
NetworkCut bisection(const Topology& topology);

/// The cut around one node: what it can send to all others.
NetworkCut nodeCut(const Topology& topology, std::int32_t node);

}  // namespace fabricast
