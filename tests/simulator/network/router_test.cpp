#include "simulator/network/router.h"

#include "planner/profiles/profile_store.h"
#include "simulator/network/cluster_topology.h"
#include "simulator/network/transfers.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace fabricast {
namespace {

Topology builtTopology(const std::string& name,
                       std::int64_t nodes,
                       const std::string& fabric = "") {
    ClusterSpec spec = *ProfileStore::builtIn().cluster(name);
    spec.nodes = nodes;
    if (!fabric.empty()) {
        spec.fabric = *ProfileStore::builtIn().fabric(fabric);
    }
    return clusterTopology(spec, {})->topology;
}

/// "node0/gpu0-node0/nvswitch0 0.25" by name.
std::map<std::string, double> byName(const Topology& topology, const Route& route) {
    std::map<std::string, double> uses;
    for (const ResourceUse use : route.uses) {
        uses[topology.linkName(use.resource / 2) + (use.resource % 2 == 0 ? "" : " back")] =
            use.share;
    }
    return uses;
}

std::optional<Route> route(const Topology& topology,
                           const std::string& from,
                           const std::string& to,
                           const RouteOptions& options = {}) {
    Router router(topology);
    return router.route(*topology.device(from), *topology.device(to), options);
}

using NamedUses = std::map<std::string, double>;

TEST(Router, SpreadsNvLinkOverAllPlanes) {
    const Topology topology = builtTopology("dgx-h100", 1);
    NamedUses expected;
    for (const std::string plane : {"0", "1", "2", "3"}) {
        expected["node0/gpu0-node0/nvswitch" + plane] = 0.25;
        expected["node0/gpu5-node0/nvswitch" + plane + " back"] = 0.25;
    }
    EXPECT_EQ(byName(topology, *route(topology, "node0/gpu0", "node0/gpu5")), expected);
}

TEST(Router, StaysOnItsRail) {
    const Topology topology = builtTopology("dgx-h100", 32);
    EXPECT_EQ(byName(topology, *route(topology, "node0/gpu3", "node9/gpu3")),
              (NamedUses{{"node0/gpu3-node0/pci3", 1},
                         {"node0/nic3-node0/pci3 back", 1},
                         {"node0/nic3-leaf3", 1},
                         {"node9/nic3-leaf3 back", 1},
                         {"node9/nic3-node9/pci3", 1},
                         {"node9/gpu3-node9/pci3 back", 1}}));
}

TEST(Router, TakesNvLinkToThePeersRail) {
    const Topology topology = builtTopology("dgx-h100", 32);
    const auto pxn = route(topology, "node0/gpu0", "node9/gpu6");
    ASSERT_TRUE(pxn);
    EXPECT_EQ(pxn->hops, 2);
    const NamedUses uses = byName(topology, *pxn);
    EXPECT_EQ(uses.at("node0/gpu0-node0/nvswitch0"), 0.25);
    EXPECT_EQ(uses.at("node0/nic6-leaf6"), 1.0);
    EXPECT_EQ(uses.at("node9/nic6-leaf6 back"), 1.0);
    // Without PXN it leaves by its own NIC, and crosses a spine or NVLink of the other node.
    const auto plain = route(topology, "node0/gpu0", "node9/gpu6", {.pxn = false});
    ASSERT_TRUE(plain);
    EXPECT_EQ(topology.devices()[*plain->sends].name, "node0/nic0");
    EXPECT_EQ(plain->hops, 4);
}

TEST(Router, ChoosesOneOfEqualWaysByFlowAndUsesAllOfThem) {
    const Topology topology = builtTopology("dgx-h100", 64);
    std::set<std::string> spines;
    for (std::uint64_t flow = 0; flow < 64; ++flow) {
        const RouteOptions options{.flow = flow};
        const auto way = route(topology, "node0/gpu0", "node40/gpu0", options);
        EXPECT_EQ(way->uses, route(topology, "node0/gpu0", "node40/gpu0", options)->uses);
        for (const auto& [name, share] : byName(topology, *way)) {
            EXPECT_EQ(share, 1.0);
            if (name.starts_with("leaf0-spine")) {
                spines.insert(name);
            }
        }
    }
    EXPECT_EQ(spines.size(), 8U);
    const auto all = route(topology, "node0/gpu0", "node40/gpu0", {.spread = Spread::Evenly});
    EXPECT_DOUBLE_EQ(byName(topology, *all).at("leaf0-spine3"), 1.0 / 8);
    EXPECT_DOUBLE_EQ(byName(topology, *all).at("leaf8-spine3 back"), 1.0 / 8);
}

TEST(Router, GoesAroundWhatFailed) {
    const Topology topology = builtTopology("dgx-h100", 64);
    const LinkIndex cable[] = {*topology.link("node0/nic0-leaf0")};
    const Topology cut = topology.without(cable);
    const auto around = route(cut, "node0/gpu0", "node1/gpu0");
    ASSERT_TRUE(around);
    EXPECT_NE(topology.devices()[*around->sends].name, "node0/nic0");
    for (const ResourceUse use : around->uses) {
        EXPECT_TRUE(cut.links()[use.resource / 2].up);
    }
    std::vector<LinkIndex> all;
    for (int rail = 0; rail < 8; ++rail) {
        const std::string name = std::to_string(rail);
        all.push_back(*topology.link("node0/nic" + name + "-leaf" + name));
    }
    EXPECT_FALSE(route(topology.without(all), "node0/gpu0", "node1/gpu0"));
    EXPECT_TRUE(route(topology.without(all), "node0/gpu0", "node0/gpu7"));
}

TEST(Router, NeverGoesThroughAThirdNode) {
    for (const char* fabric : {"", "ib-ndr-fat-tree-2to1"}) {
        const Topology topology = builtTopology("dgx-h100", 48, fabric);
        Router router(topology);
        for (const char* to : {"node1/gpu0", "node1/gpu5", "node40/gpu2", "node47/gpu7"}) {
            const DeviceIndex target = *topology.device(to);
            const auto way = router.route(*topology.device("node0/gpu0"), target, {.flow = 3});
            for (const ResourceUse use : way->uses) {
                for (const DeviceIndex end : {topology.links()[use.resource / 2].from,
                                              topology.links()[use.resource / 2].to}) {
                    const std::int32_t node = topology.devices()[end].node;
                    EXPECT_TRUE(node == kNoNode || node == 0 ||
                                node == topology.devices()[target].node);
                }
            }
        }
    }
}

TEST(Router, RelaysOnTheCubeMesh) {
    ClusterSpec spec = *ProfileStore::builtIn().cluster("dgx-h100");
    spec.node = *ProfileStore::builtIn().node("dgx-1-v100");
    const Topology mesh = clusterTopology(spec, {})->topology;
    // Not linked: over one of the GPUs that both are linked with, 1 and 4.
    const NamedUses uses = byName(mesh, *route(mesh, "node0/gpu0", "node0/gpu5"));
    EXPECT_DOUBLE_EQ(uses.at("node0/gpu0-node0/gpu1"), 0.5);
    EXPECT_DOUBLE_EQ(uses.at("node0/gpu0-node0/gpu4"), 0.5);
    EXPECT_EQ(uses.size(), 4U);
}

// Eight pairs over eight rails get 50 GB/s each; eight that all leave by one rail share it.
TEST(Router, RoutesShareWhatTheyMeetOn) {
    const Topology topology = builtTopology("dgx-h100", 2);
    Router router(topology);
    FairShare network(resourceCapacities(topology));
    std::vector<FlowIndex> flows;
    for (const char* gpu : {"0", "1", "2", "3", "4", "5", "6", "7"}) {
        const auto way = router.route(*topology.device(std::string("node0/gpu") + gpu),
                                      *topology.device(std::string("node1/gpu") + gpu));
        flows.push_back(network.start({.uses = way->uses}));
    }
    for (const FlowIndex flow : flows) {
        EXPECT_DOUBLE_EQ(network.rate(flow).count(), 50e9);
    }
    const auto way = router.route(*topology.device("node0/gpu1"), *topology.device("node1/gpu0"));
    const FlowIndex cross = network.start({.uses = way->uses});
    EXPECT_DOUBLE_EQ(network.rate(cross).count(), 25e9);
    EXPECT_DOUBLE_EQ(network.rate(flows[0]).count(), 25e9);
    EXPECT_DOUBLE_EQ(network.rate(flows[1]).count(), 50e9);
}

// One ring step of NCCL's model, by the slowest kind of link on the way; the fabric's latency once,
// and once more for the flush of the Simple protocol.
TEST(StepLatency, IsThatOfTheCollectiveModel) {
    const NcclModel model = *ProfileStore::builtIn().ncclModel("nccl");
    Route inside{.slowest = LinkClass::NvLink};
    const auto ring = CollectiveAlgorithm::Ring;
    const auto simple = CollectiveProtocol::Simple;
    EXPECT_DOUBLE_EQ(stepLatency(inside, model, ring, simple, Seconds(1e-6)).count(), 3.4e-6);
    Route outside{.slowest = LinkClass::Network, .latency = Seconds(2e-6)};
    EXPECT_DOUBLE_EQ(stepLatency(outside, model, ring, simple, Seconds(1e-6)).count(),
                     14.0e-6 + 2 * 2e-6);
}

}  // namespace
}  // namespace fabricast
