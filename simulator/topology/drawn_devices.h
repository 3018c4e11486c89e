#pragma once
#include "simulator/network/topology.h"

#include <array>
#include <cstdint>
#include <vector>

namespace fabricast {

/// One line of a picture: devices of one kind, or two that share a position.
struct DrawnRow {
    std::vector<DeviceKind> kinds;
    std::vector<DeviceIndex> devices;  ///< those that are shown
    std::int64_t all = 0;              ///< in the whole topology
};

/// What a picture shows of a topology, the network on top: the first node and what its NICs reach,
/// then others, up to a number per row.
std::vector<DrawnRow> drawnRows(const Topology& topology, std::size_t most);

}  // namespace fabricast
