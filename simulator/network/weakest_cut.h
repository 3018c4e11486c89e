#pragma once
#include "simulator/network/topology.h"

#include <span>
#include <vector>

namespace fabricast {

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
