#include "simulator/network/fabric_cuts.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

/// Nodes of one GPU and NIC each, on the leaves named, and links between the leaves.
Topology small(const std::vector<int>& leafOfNode, const std::vector<std::pair<int, int>>& joined) {
    TopologyBuilder builder;
    std::map<int, DeviceIndex> leaves;
    const auto leaf = [&](int number) {
        if (!leaves.contains(number)) {
            leaves[number] =
                *builder.add({.name = "leaf" + std::to_string(number), .kind = DeviceKind::Leaf});
        }
        return leaves[number];
    };
    for (std::size_t node = 0; node < leafOfNode.size(); ++node) {
        const std::string prefix = "node" + std::to_string(node);
        const auto number = static_cast<std::int32_t>(node);
        const DeviceIndex gpu = *builder.add({.name = prefix + "/gpu0", .node = number});
        const DeviceIndex nic =
            *builder.add({.name = prefix + "/nic0", .kind = DeviceKind::Nic, .node = number});
        (void)*builder.join({.from = gpu, .to = nic, .kind = LinkKind::Pci, .bandwidth = 60_GBps});
        (void)*builder.join({.from = nic, .to = leaf(leafOfNode[node]), .bandwidth = 50_GBps});
    }
    for (const auto& [one, other] : joined) {
        (void)*builder.join({.from = leaf(one), .to = leaf(other), .bandwidth = 100_GBps});
    }
    return *std::move(builder).build();
}

TEST(GpuReach, NamesThoseThatAreCutOff) {
    const Topology split = small({0, 0, 1}, {});
    EXPECT_EQ(gpuReach(split).largest, 2U);
    ASSERT_EQ(gpuReach(split).apart.size(), 1U);
    EXPECT_EQ(split.devices()[gpuReach(split).apart[0]].name, "node2/gpu0");
    EXPECT_TRUE(gpuReach(small({0, 0, 1}, {{0, 1}})).apart.empty());
}

TEST(SinglePoints, AreTheLinksThatNothingStandsInFor) {
    const Topology line = small({0, 0, 1}, {{0, 1}});
    std::set<std::string> names;
    for (const LinkIndex link : singlePoints(line)) {
        names.insert(line.linkName(link));
    }
    EXPECT_EQ(names,
              (std::set<std::string>{
                  "node0/nic0-leaf0", "node1/nic0-leaf0", "node2/nic0-leaf1", "leaf0-leaf1"}));
    // In a ring of leaves each link between them has another way round.
    EXPECT_EQ(singlePoints(small({0, 1, 2}, {{0, 1}, {1, 2}, {2, 0}})).size(), 3U);
}

// A leaf with no GPU behind it is not a loss.
TEST(SinglePoints, LeaveOutWhatLeadsToNoGpu) {
    const Topology spare = small({0, 0}, {{0, 7}});
    for (const LinkIndex link : singlePoints(spare)) {
        EXPECT_NE(spare.linkName(link), "leaf0-leaf7");
    }
}

// By the book: remove each link and see what remains reachable.
TEST(SinglePoints, AreThoseWhoseLossCutsGpusOff) {
    rc::check([] {
        const int leaves = *rc::gen::inRange(1, 6);
        std::vector<int> homes(static_cast<std::size_t>(*rc::gen::inRange(1, 6)));
        for (int& home : homes) {
            home = *rc::gen::inRange(0, leaves);
        }
        std::set<std::pair<int, int>> joined;
        for (int other = 1; other < leaves; ++other) {
            joined.emplace(*rc::gen::inRange(0, other), other);
        }
        if (leaves > 2 && *rc::gen::arbitrary<bool>()) {
            joined.emplace(0, leaves - 1);
        }
        const Topology topology = small(homes, {joined.begin(), joined.end()});
        std::vector<LinkIndex> expected;
        for (LinkIndex link = 0; link < topology.links().size(); ++link) {
            if (topology.links()[link].kind == LinkKind::Network &&
                !gpuReach(topology.without({&link, 1})).apart.empty()) {
                expected.push_back(link);
            }
        }
        RC_ASSERT(singlePoints(topology) == expected);
    });
}

// Min-cut by the book: over every way to split the leaves, the links between the sides.
TEST(WeakestCut, IsTheLeastOfAllCuts) {
    rc::check([] {
        const int leaves = *rc::gen::inRange(2, 6);
        std::vector<int> homes = {0, leaves - 1};
        std::set<std::pair<int, int>> joined;
        for (int one = 0; one < leaves; ++one) {
            for (int other = one + 1; other < leaves; ++other) {
                if (*rc::gen::arbitrary<bool>()) {
                    joined.emplace(one, other);
                }
            }
        }
        const Topology topology = small(homes, {joined.begin(), joined.end()});
        double least = 50e9;  // of either NIC
        for (unsigned side = 0; side < (1U << static_cast<unsigned>(leaves)); ++side) {
            const auto near = [side](int leaf) {
                return (side >> static_cast<unsigned>(leaf)) & 1U;
            };
            if (near(0) == 1U && near(leaves - 1) == 0U) {
                least = std::min(least,
                                 100e9 * static_cast<double>(
                                             std::ranges::count_if(joined, [&](const auto& link) {
                                                 return near(link.first) != near(link.second);
                                             })));
            }
        }
        RC_ASSERT(bisection(topology).bandwidth.count() == least);
    });
}

}  // namespace
}  // namespace fabricast
