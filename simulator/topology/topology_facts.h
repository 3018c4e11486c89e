#pragma once
#include "simulator/network/cluster_topology.h"
#include "simulator/network/fabric_cuts.h"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// All links between two kinds of devices.
struct LinkTier {
    DeviceKind from = DeviceKind::Gpu;
    DeviceKind to = DeviceKind::Gpu;
    LinkKind kind = LinkKind::Network;
    std::int64_t links = 0;
    std::int64_t cables = 0;
    BytesPerSecond least;  ///< of one link, one way
    BytesPerSecond most;
    BytesPerSecond together;
    bool assumed = false;
};

/// What a failure does.
struct OutageEffect {
    std::vector<std::string> failed;
    std::vector<LinkIndex> down;  ///< all links that are down
    GpuReach reach;
    NetworkCut bisection;
    std::string node;           ///< "node3": the first one that the failure touches; may be empty
    BytesPerSecond nodeBefore;  ///< what it can send to all others
    BytesPerSecond nodeAfter;
};

/// The facts of a topology for reports and drawings, computed once.
struct TopologyFacts {
    std::string title;
    std::vector<std::string> assumed;
    std::array<std::int64_t, kDeviceKinds> count{};
    std::int64_t nodes = 0;
    std::vector<LinkTier> tiers;  ///< in the order GPU to core
    NetworkCut bisection;
    NetworkCut node;  ///< around the first node; nothing where there is one
    std::vector<LinkIndex> singlePoints;
    std::optional<OutageEffect> outage;
};

/// `fail` names links, or devices with all their links.
Result<TopologyFacts> topologyFacts(const DescribedTopology& described,
                                    const std::vector<std::string>& fail);

/// An error that names a GPU which cannot reach the others.
Result<void> checkReach(const Topology& topology);

}  // namespace fabricast
