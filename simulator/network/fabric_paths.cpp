#include "simulator/network/fabric_plan.h"
#include "simulator/network/local_paths.h"

#include <algorithm>
#include <limits>

namespace fabricast {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

}  // namespace

FabricPaths::FabricPaths(const Topology& topology)
    : topology_(topology), number_(topology.devices().size(), kNone) {
    for (DeviceIndex device = 0; device < number_.size(); ++device) {
        if (isFabric(topology.devices()[device].kind)) {
            number_[device] = switches_++;
        }
    }
}

bool FabricPaths::isSwitch(DeviceIndex device) const {
    return number_[device] != kNone;
}

/// Breadth first from the target, over switches alone.
const std::vector<std::uint16_t>& FabricPaths::field(DeviceIndex target) {
    const auto [entry, isNew] = fields_.try_emplace(target);
    std::vector<std::uint16_t>& hops = entry->second;
    if (!isNew) {
        return hops;
    }
    hops.assign(switches_, kUnreached);
    hops[number_[target]] = 0;
    std::vector<DeviceIndex> open = {target};
    for (std::size_t next = 0; next < open.size(); ++next) {
        const std::uint16_t here = hops[number_[open[next]]];
        for (const Hop hop : topology_.hops(open[next])) {
            if (isSwitch(hop.to) && hops[number_[hop.to]] == kUnreached && here + 1 < kUnreached) {
                hops[number_[hop.to]] = static_cast<std::uint16_t>(here + 1);
                open.push_back(hop.to);
            }
        }
    }
    return hops;
}

/// From a switch to a NIC: over the nearest switch that the NIC is cabled to.
std::uint16_t FabricPaths::distance(DeviceIndex from, DeviceIndex toNic) {
    std::uint16_t least = kUnreached;
    for (const Hop hop : topology_.hops(toNic)) {
        if (isSwitch(hop.to)) {
            const std::uint16_t hops = field(hop.to)[number_[from]];
            least =
                std::min(least, hops == kUnreached ? hops : static_cast<std::uint16_t>(hops + 1));
        }
    }
    return least;
}

std::uint16_t FabricPaths::hops(DeviceIndex fromNic, DeviceIndex toNic) {
    std::uint16_t least = kUnreached;
    for (const Hop hop : topology_.hops(fromNic)) {
        if (topology_.links()[hop.link].kind != LinkKind::Network) {
            continue;
        }
        if (hop.to == toNic) {
            return 1;  // back to back, without a switch
        }
        if (isSwitch(hop.to)) {
            const std::uint16_t hops = distance(hop.to, toNic);
            least =
                std::min(least, hops == kUnreached ? hops : static_cast<std::uint16_t>(hops + 1));
        }
    }
    return least;
}

std::vector<Hop> FabricPaths::next(DeviceIndex from, DeviceIndex toNic) {
    std::vector<Hop> nearest;
    std::uint16_t least = kUnreached;
    for (const Hop hop : topology_.hops(from)) {
        const bool there = hop.to == toNic;
        if (!there && !isSwitch(hop.to)) {
            continue;
        }
        const std::uint16_t left = there ? std::uint16_t{0} : distance(hop.to, toNic);
        if (left < least) {
            least = left;
            nearest.clear();
        }
        if (left == least && left != kUnreached) {
            nearest.push_back(hop);
        }
    }
    return nearest;
}

}  // namespace fabricast
