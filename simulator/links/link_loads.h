#pragma once
#include "simulator/links/group_traffic.h"
#include "simulator/network/alike_nodes.h"
#include "simulator/network/link_sums.h"
#include "simulator/network/router.h"
#include "simulator/network/switch_spread.h"

#include <array>
#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace fabricast {

/// This is what traffic between ranks puts on the links of a topology, rank r being its r-th GPU.
/// Equal ways carry equal parts. Ways are worked out once for nodes that are built and cabled
/// alike.
///     LinkLoads loads(topology);
///     for (const ResourceUse use : loads.of(traffic)) { … use.share bytes on use.resource … }
class LinkLoads {
public:
    explicit LinkLoads(const Topology& topology);

    /// Bytes on each link, one way, for every byte that each rank sends; in order of the links.
    /// Every pair must have a way.
    std::vector<ResourceUse> of(const std::vector<RankTraffic>& traffic);

private:
    /// A link of a node, by its number there.
    struct OwnUse {
        std::uint32_t link = 0;
        bool forward = true;
        double share = 1.0;
    };
    using OwnUses = std::vector<OwnUse>;
    /// One of the NICs of a node and of another, by their numbers there, and what goes that way.
    struct Crossing {
        std::uint32_t out = 0;
        std::uint32_t in = 0;
        double share = 1.0;
    };
    using Crossings = std::vector<Crossing>;

    void add(DeviceIndex from, DeviceIndex to, double share);
    void addAnyWay(DeviceIndex from, DeviceIndex to, double share);
    void addCrossing(DeviceIndex from, DeviceIndex to, double share);
    void addOwn(std::int32_t node, const OwnUses& uses, double share);
    const OwnUses& inside(DeviceIndex gpu, DeviceIndex device, bool outward);
    const Crossings& crossings(DeviceIndex from, DeviceIndex to);
    std::uint32_t distanceOf(std::int32_t here, std::int32_t there);
    /// Bytes leave a NIC, or come to it.
    void addCable(DeviceIndex nic, bool leaving, double share);
    void findCables();

    const Topology& topology_;
    Router router_;
    AlikeNodes nodes_;
    SwitchSpread switches_;
    bool simple_ = true;  ///< no NIC has two cables, and NVLink stays in nodes
    std::unordered_map<DeviceIndex, Hop> cables_;   ///< of each NIC
    std::vector<std::uint32_t> cabling_;            ///< by node: equal where NICs have equal leaves
    std::vector<std::vector<DeviceIndex>> leaves_;  ///< of NICs, by cabling
    /// By two cablings: equal where their leaves are as many hops apart.
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> distances_;
    std::map<std::vector<std::uint16_t>, std::uint32_t> hops_;
    std::map<std::array<std::uint32_t, 4>, OwnUses> inside_;
    std::map<std::array<std::uint32_t, 5>, Crossings> crossings_;
    std::map<std::pair<DeviceIndex, DeviceIndex>, double> between_;  ///< leaves
    LinkSums sums_;
};

}  // namespace fabricast
