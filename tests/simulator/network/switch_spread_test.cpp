#include "simulator/network/switch_spread.h"

#include "planner/profiles/profile_store.h"
#include "simulator/network/cluster_topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

using Pairs = std::vector<std::pair<DeviceIndex, DeviceIndex>>;

Topology fatTree() {
    ClusterSpec cluster = ProfileStore::builtIn().cluster("llama3-24k").value();
    cluster.nodes = 1024;
    return clusterTopology(cluster, {}).value().topology;
}

Pairs pairsOfLeaves(const Topology& topology, std::size_t count) {
    std::vector<DeviceIndex> leaves;
    for (DeviceIndex device = 0; device < topology.devices().size(); ++device) {
        if (topology.devices()[device].kind == DeviceKind::Leaf) {
            leaves.push_back(device);
        }
    }
    std::mt19937 random(11);
    Pairs pairs;
    for (std::size_t i = 0; i < count; ++i) {
        pairs.emplace_back(leaves[random() % leaves.size()], leaves[random() % leaves.size()]);
    }
    return pairs;
}

/// Hops are counted only as far as they are needed: what was asked before must not matter.
TEST(SwitchSpread, PutsTheSameOnLinksWhateverWasAskedBefore) {
    const Topology topology = fatTree();
    const Pairs pairs = pairsOfLeaves(topology, 200);
    SwitchSpread seasoned(topology);
    LinkSums sums(topology.links().size() * 2);
    for (const auto& [from, to] : pairs) {
        seasoned.add(from, to, 1.0, sums);
        (void)sums.take();
    }
    for (const auto& [from, to] : pairs) {
        SwitchSpread fresh(topology);
        LinkSums own(topology.links().size() * 2);
        fresh.add(from, to, 1.0, own);
        seasoned.add(from, to, 1.0, sums);
        const std::vector<ResourceUse> expected = own.take();
        const std::vector<ResourceUse> found = sums.take();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) {
            EXPECT_EQ(found[i].resource, expected[i].resource);
            EXPECT_DOUBLE_EQ(found[i].share, expected[i].share);
        }
        EXPECT_EQ(seasoned.hops(from, to), seasoned.hops(to, from));
        EXPECT_EQ(seasoned.hops(from, to), fresh.hops(from, to));
    }
}

}  // namespace
}  // namespace fabricast
