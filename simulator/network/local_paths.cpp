#include "simulator/network/local_paths.h"

#include <functional>
#include <queue>
#include <tuple>

namespace fabricast {
namespace {

// In such steps that a peer's NIC is taken rather than one behind the CPU, but not rather than one
// on the same PCIe switch or socket.
constexpr std::int64_t kNvLinkCost = 1;
constexpr std::int64_t kPciCost = 4;
constexpr std::int64_t kSocketCost = 8;
constexpr std::int64_t kThroughGpuCost = 4;

std::int64_t costOf(LinkKind kind) {
    switch (kind) {
        case LinkKind::NvLink:
            return kNvLinkCost;
        case LinkKind::Pci:
            return kPciCost;
        default:
            return kSocketCost;
    }
}

bool cameOverNvLink(const Topology& topology, const LocalReach& reach) {
    return topology.links()[reach.from.front().link].kind == LinkKind::NvLink;
}

}  // namespace

bool isFabric(DeviceKind kind) {
    return kind == DeviceKind::Leaf || kind == DeviceKind::Spine || kind == DeviceKind::Core ||
           kind == DeviceKind::Wan;
}

LocalPaths localPaths(const Topology& topology, DeviceIndex gpu) {
    using Entry = std::tuple<std::int64_t, DeviceIndex>;
    LocalPaths paths;
    paths[gpu].cost = 0;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
    open.emplace(0, gpu);
    while (!open.empty()) {
        const auto [cost, at] = open.top();
        open.pop();
        const LocalReach reach = paths[at];
        const DeviceKind kind = topology.devices()[at].kind;
        const bool relay = kind == DeviceKind::Gpu && at != gpu;
        const bool away = topology.devices()[at].node != topology.devices()[gpu].node;
        if (cost > reach.cost || kind == DeviceKind::Nic ||
            (relay && (away || !cameOverNvLink(topology, reach)))) {
            continue;
        }
        for (const Hop hop : topology.hops(at)) {
            const LinkKind link = topology.links()[hop.link].kind;
            if (isFabric(topology.devices()[hop.to].kind) || link == LinkKind::Network) {
                continue;
            }
            const std::int64_t next = cost + costOf(link) + (relay ? kThroughGpuCost : 0);
            LocalReach& there = paths[hop.to];
            if (next < there.cost) {
                there.cost = next;
                there.from.clear();
                there.viaNvLink = at == gpu ? link == LinkKind::NvLink : reach.viaNvLink;
                open.emplace(next, hop.to);
            }
            if (next == there.cost) {
                there.from.push_back({at, hop.link});
            }
        }
    }
    return paths;
}

}  // namespace fabricast
