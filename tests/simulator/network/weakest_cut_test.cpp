#include "simulator/network/fabric_cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// Nodes of a GPU and a NIC each, whose NICs are joined in rings of these strides.
Topology rings(std::int32_t nodes, const std::vector<std::int32_t>& strides, double within) {
    TopologyBuilder builder;
    std::vector<DeviceIndex> nics;
    for (std::int32_t node = 0; node < nodes; ++node) {
        const std::string name = "n" + std::to_string(node);
        const auto gpu = builder.add({name + "/gpu0", DeviceKind::Gpu, node, 0});
        const auto nic = builder.add({name + "/nic0", DeviceKind::Nic, node, 0});
        EXPECT_TRUE(builder.join({.from = *gpu,
                                  .to = *nic,
                                  .kind = LinkKind::Pci,
                                  .bandwidth = BytesPerSecond(within),
                                  .latency = {}}));
        nics.push_back(*nic);
    }
    for (const std::int32_t stride : strides) {
        for (std::int32_t node = 0; node < nodes; ++node) {
            const auto other = static_cast<std::size_t>((node + stride) % nodes);
            // The second way round of a stride of half the ring is the first.
            (void)builder.join({.from = nics[static_cast<std::size_t>(node)],
                                .to = nics[other],
                                .kind = LinkKind::Network,
                                .bandwidth = BytesPerSecond(50),
                                .latency = {}});
        }
    }
    return *std::move(builder).build();
}

/// What crosses from a set of devices that holds the first half's GPUs, and none of the second's.
double crossing(const Topology& topology, const std::vector<bool>& near, std::int32_t middle) {
    const auto crosses = [&](DeviceIndex from, DeviceIndex to) {
        const std::int32_t out = topology.devices()[from].node;
        const std::int32_t in = topology.devices()[to].node;
        // A NIC forwards nothing for other nodes: what leaves one half's comes into the other's.
        return near[from] && !near[to] && (out == in || (out < middle && in >= middle));
    };
    double sum = 0;
    for (const NetworkLink& link : topology.links()) {
        if (crosses(link.from, link.to) || crosses(link.to, link.from)) {
            sum += link.bandwidth.count();
        }
    }
    return sum;
}

/// Each GPU is in its half, and each NIC in either.
double leastCrossing(const Topology& topology) {
    const auto middle = static_cast<std::int32_t>(topology.nodes() / 2);
    double least = std::numeric_limits<double>::max();
    for (std::uint32_t choice = 0; choice < 1U << topology.nodes(); ++choice) {
        std::vector<bool> near;
        for (const NetworkDevice& device : topology.devices()) {
            const bool isChosen = (choice >> static_cast<unsigned>(device.node) & 1U) != 0;
            near.push_back(device.kind == DeviceKind::Nic ? isChosen : device.node < middle);
        }
        least = std::min(least, crossing(topology, near, middle));
    }
    return least;
}

TEST(WeakestCut, IsTheLeastThatAnySetOfDevicesLetsOutAndItsLinksAddUpToIt) {
    const std::vector<std::vector<std::int32_t>> kStrides = {{1}, {1, 2}, {1, 3}, {1, 2, 3}, {2}};
    for (const std::vector<std::int32_t>& strides : kStrides) {
        for (const std::int32_t nodes : {4, 6, 7, 8}) {
            for (const double within : {20.0, 64.0, 1000.0}) {
                const Topology topology = rings(nodes, strides, within);
                const NetworkCut cut = bisection(topology);
                double listed = 0;
                for (const LinkIndex link : cut.links) {
                    listed += topology.links()[link].bandwidth.count();
                }
                const std::string which = std::to_string(nodes) + " nodes, " +
                                          std::to_string(strides.size()) + " rings from " +
                                          std::to_string(strides.front()) + ", PCIe " +
                                          std::to_string(within);
                EXPECT_EQ(cut.bandwidth.count(), leastCrossing(topology)) << which;
                EXPECT_EQ(listed, cut.bandwidth.count()) << which;
            }
        }
    }
}

}  // namespace
}  // namespace fabricast
