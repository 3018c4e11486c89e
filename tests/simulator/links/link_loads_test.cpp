#include "simulator/links/link_loads.h"

#include "planner/profiles/profile_store.h"
#include "simulator/network/cluster_topology.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace fabricast {
namespace {

Topology topologyOf(const std::string& name, std::int64_t nodes) {
    ClusterSpec cluster = ProfileStore::builtIn().cluster(name).value();
    cluster.nodes = nodes;
    return clusterTopology(cluster, {}).value().topology;
}

/// The same, route by route.
std::map<ResourceIndex, double> plainLoads(const Topology& topology,
                                           const std::vector<RankTraffic>& traffic) {
    Router router(topology);
    std::map<ResourceIndex, double> loads;
    for (const RankTraffic& one : traffic) {
        const auto route = router.route(topology.gpus()[static_cast<std::size_t>(one.from)],
                                        topology.gpus()[static_cast<std::size_t>(one.to)],
                                        {.spread = Spread::Evenly});
        for (const ResourceUse use : route->uses) {
            loads[use.resource] += use.share * one.share;
        }
    }
    return loads;
}

/// Every rank to the one some places on, and a little to its neighbour.
std::vector<RankTraffic> shifted(const Topology& topology, std::int64_t by) {
    const auto count = static_cast<std::int64_t>(topology.gpus().size());
    std::vector<RankTraffic> traffic;
    for (std::int64_t rank = 0; rank < count; ++rank) {
        if (by % count != 0) {
            traffic.push_back({rank, (rank + by) % count, 1.0});
        }
        traffic.push_back({rank, rank ^ 1, 0.25});
    }
    return traffic;
}

void expectThoseOfEveryRoute(const Topology& topology, const std::string& name) {
    LinkLoads loads(topology);
    for (const std::int64_t by : {1, 8, 11, 16, 72, 320}) {
        const std::vector<RankTraffic> traffic = shifted(topology, by);
        const std::map<ResourceIndex, double> expected = plainLoads(topology, traffic);
        const std::vector<ResourceUse> found = loads.of(traffic);
        double sum = 0.0;
        double wanted = 0.0;
        for (const ResourceUse use : found) {
            sum += use.share;
        }
        for (const auto& [resource, share] : expected) {
            wanted += share;
        }
        EXPECT_NEAR(sum / wanted, 1.0, 1e-9) << name << " " << by;
        if (found.size() == expected.size()) {
            for (const ResourceUse use : found) {
                ASSERT_TRUE(expected.contains(use.resource)) << name << " " << by;
                EXPECT_NEAR(use.share, expected.at(use.resource), 1e-9)
                    << name << " " << by << " "
                    << topology.linkName(static_cast<LinkIndex>(use.resource / 2));
            }
        }
    }
}

TEST(LinkLoads, AreThoseOfEveryRoute) {
    for (const auto& [name, nodes] : {std::pair<std::string, std::int64_t>{"dgx-h100", 1},
                                      {"dgx-h100", 4},
                                      {"dgx-h100", 80},
                                      {"llama3-24k", 48},
                                      {"hgx-h100-roce", 40},
                                      {"8x-rtx-4090", 3},
                                      {"4x-rtx-4090", 4},
                                      {"gb200-nvl72", 2},
                                      {"mi300x-8", 4}}) {
        expectThoseOfEveryRoute(topologyOf(name, nodes), name);
    }
}

/// The cables of these NICs are down.
Topology withoutNics(const Topology& topology, const std::vector<std::string>& nics) {
    std::vector<LinkIndex> down;
    for (const std::string& nic : nics) {
        for (const Hop hop : topology.hops(topology.device(nic).value())) {
            if (topology.links()[hop.link].kind == LinkKind::Network) {
                down.push_back(hop.link);
            }
        }
    }
    EXPECT_EQ(down.size(), nics.size());
    return topology.without(down);
}

TEST(LinkLoads, AreThoseOfEveryRouteAroundNicsThatAreDown) {
    for (const auto& [name, nodes] : {std::pair<std::string, std::int64_t>{"dgx-h100", 4},
                                      {"hgx-h100-roce", 40},
                                      {"llama3-24k", 20}}) {
        const Topology whole = topologyOf(name, nodes);
        expectThoseOfEveryRoute(withoutNics(whole, {"node1/nic2"}), name);
        expectThoseOfEveryRoute(
            withoutNics(whole, {"node0/nic0", "node1/nic2", "node2/nic3", "node3/nic3"}), name);
    }
}

}  // namespace
}  // namespace fabricast
