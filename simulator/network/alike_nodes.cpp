#include "simulator/network/alike_nodes.h"

#include <algorithm>
#include <numeric>

namespace fabricast {
namespace {

/// The node that a link is inside of; kNoNode for a link between nodes or to the network.
std::int32_t homeOf(const Topology& topology, const NetworkLink& link) {
    const std::int32_t node = topology.devices()[link.from].node;
    return node == topology.devices()[link.to].node ? node : kNoNode;
}

}  // namespace

AlikeNodes::AlikeNodes(const Topology& topology)
    : topology_(topology),
      makes_(topology.nodes()),
      deviceNumber_(topology.devices().size()),
      linkNumber_(topology.links().size()),
      firstLink_(topology.nodes() + 1) {
    const auto nodes = static_cast<std::int32_t>(topology.nodes());
    for (std::int32_t node = 0; node < nodes; ++node) {
        std::uint32_t number = 0;
        for (const DeviceIndex device : topology.devicesOf(node)) {
            deviceNumber_[device] = number++;
        }
    }
    for (const NetworkLink& link : topology.links()) {
        const std::int32_t home = homeOf(topology, link);
        apart_ = apart_ && (home != kNoNode || link.kind != LinkKind::NvLink);
        if (home != kNoNode) {
            ++firstLink_[static_cast<std::size_t>(home) + 1];
        }
    }
    std::partial_sum(firstLink_.begin(), firstLink_.end(), firstLink_.begin());
    links_.resize(firstLink_.back());
    std::vector<std::size_t> free(firstLink_.begin(), firstLink_.end() - 1);
    for (LinkIndex link = 0; link < topology.links().size(); ++link) {
        const std::int32_t home = homeOf(topology, topology.links()[link]);
        if (home != kNoNode) {
            const auto at = static_cast<std::size_t>(home);
            linkNumber_[link] = static_cast<std::uint32_t>(free[at] - firstLink_[at]);
            links_[free[at]++] = link;
        }
    }
    std::vector<std::int32_t> firsts;  // of each make
    for (std::int32_t node = 0; node < nodes; ++node) {
        const auto same =
            std::ranges::find_if(firsts, [&](std::int32_t first) { return alike(first, node); });
        makes_[static_cast<std::size_t>(node)] = static_cast<std::uint32_t>(same - firsts.begin());
        if (same == firsts.end()) {
            firsts.push_back(node);
        }
    }
}

bool AlikeNodes::alike(std::int32_t a, std::int32_t b) const {
    const auto devicesAlike = [this](DeviceIndex one, DeviceIndex other) {
        const NetworkDevice& mine = topology_.devices()[one];
        const NetworkDevice& theirs = topology_.devices()[other];
        return mine.kind == theirs.kind && mine.slot == theirs.slot;
    };
    const auto linksAlike = [this](LinkIndex one, LinkIndex other) {
        const NetworkLink& mine = topology_.links()[one];
        const NetworkLink& theirs = topology_.links()[other];
        return numberOf(mine.from) == numberOf(theirs.from) &&
               numberOf(mine.to) == numberOf(theirs.to) && mine.kind == theirs.kind &&
               mine.bandwidth == theirs.bandwidth && mine.up == theirs.up;
    };
    return std::ranges::equal(topology_.devicesOf(a), topology_.devicesOf(b), devicesAlike) &&
           std::ranges::equal(links(a), links(b), linksAlike);
}

}  // namespace fabricast
