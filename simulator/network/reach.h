#pragma once
#include "simulator/network/topology.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// Which GPUs still reach the others: over links inside nodes, and then from a NIC of their own
/// node to one of the other's. No third node hands anything on.
struct GpuReach {
    std::size_t largest = 0;         ///< GPUs of which each reaches each
    std::vector<DeviceIndex> apart;  ///< those that reach none of them, in order
};
GpuReach gpuReach(const Topology& topology);

/// Links between nodes of which the loss of one alone cuts GPUs off from others, in order.
std::vector<LinkIndex> singlePoints(const Topology& topology);

}  // namespace fabricast
