#pragma once
#include "simulator/network/topology.h"

#include <cstdint>
#include <limits>
#include <unordered_map>
#include <vector>

namespace fabricast {

/// How a device is best reached without the network.
struct LocalReach {
    std::int64_t cost = std::numeric_limits<std::int64_t>::max();
    std::vector<Hop> from;   ///< the last hops of every way at that cost, seen from here: `to` is
                             ///< the device before
    bool viaNvLink = false;  ///< its first hop is NVLink
};

/// This is every way from one GPU, inside its node and its NVLink domain: NVLink before PCIe before
/// the link between sockets. GPUs hand on what comes over NVLink, to a peer's NIC (PXN) or to a GPU
/// that is not linked itself, within their node; nothing goes through a NIC or a network switch.
using LocalPaths = std::unordered_map<DeviceIndex, LocalReach>;
LocalPaths localPaths(const Topology& topology, DeviceIndex gpu);

/// Whether a device belongs to the network between nodes.
bool isFabric(DeviceKind kind);

}  // namespace fabricast
