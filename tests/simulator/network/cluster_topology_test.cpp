#include "simulator/network/cluster_topology.h"

#include "planner/profiles/profile_list.h"
#include "planner/profiles/profile_store.h"
#include "simulator/network/fabric_cuts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace fabricast {
namespace {

using namespace literals;

ClusterSpec cluster(const std::string& name, std::int64_t nodes, const std::string& fabric = "") {
    ClusterSpec spec = *ProfileStore::builtIn().cluster(name);
    spec.nodes = nodes;
    if (!fabric.empty()) {
        spec.fabric = *ProfileStore::builtIn().fabric(fabric);
    }
    return spec;
}

Topology built(const ClusterSpec& spec, const TopologyOptions& options = {}) {
    return clusterTopology(spec, options)->topology;
}

std::int64_t count(const Topology& topology, DeviceKind kind) {
    return std::ranges::count(topology.devices(), kind, &NetworkDevice::kind);
}

// The SuperPOD of NVIDIA's reference architecture: units of 32 nodes, with one leaf for each of the
// 8 rails; 4 units take 32 leaves and 16 spines. Past 64 leaves a spine has too few ports: pods.
TEST(ClusterTopology, HasTheSwitchesOfTheReferenceArchitecture) {
    const struct {
        std::int64_t nodes;
        std::int64_t leaves;
        std::int64_t spines;
        std::int64_t cores;
    } cases[] = {{32, 8, 4, 0}, {64, 16, 8, 0}, {127, 32, 16, 0}, {2048, 512, 512, 256}};
    for (const auto& expected : cases) {
        const Topology topology = built(cluster("dgx-h100", expected.nodes));
        EXPECT_EQ(count(topology, DeviceKind::Leaf), expected.leaves) << expected.nodes;
        EXPECT_EQ(count(topology, DeviceKind::Spine), expected.spines) << expected.nodes;
        EXPECT_EQ(count(topology, DeviceKind::Core), expected.cores) << expected.nodes;
        EXPECT_EQ(count(topology, DeviceKind::Gpu), expected.nodes * 8);
    }
}

// As ranks of a CPU cluster have it, of whose host links nothing is known.
TEST(ClusterTopology, TakesTheRateBetweenGpusForThatToTheirCpu) {
    ClusterSpec spec = cluster("8x-rtx-4090", 1);
    spec.node.gpu.pcieBandwidth.value.reset();
    spec.node.gpu.linkBandwidth.value.reset();
    spec.node.nicBandwidth.value.reset();
    spec.node.nics.value.reset();
    spec.node.pci.peerBandwidth.value.reset();
    EXPECT_FALSE(clusterTopology(spec, {}));
    spec.node.pci.peerBandwidth.value = BytesPerSecond(8e9);
    const auto whole = clusterTopology(spec, {});
    EXPECT_TRUE(whole) << whole.error().text();
}

// Without a taper, half of the nodes send all that their NICs take: n/2 · 8 · 50 GB/s.
TEST(ClusterTopology, OfAFlatNetworkHasTheBisectionOfItsNics) {
    for (const std::int64_t nodes : {2, 4, 32, 128, 512, 2048}) {
        const NetworkCut cut = bisection(built(cluster("dgx-h100", nodes)));
        EXPECT_DOUBLE_EQ(cut.bandwidth.count(), static_cast<double>(nodes) / 2 * 8 * 50e9) << nodes;
        EXPECT_EQ(cut.links.size(), static_cast<std::size_t>(nodes) / 2 * 8);
    }
}

// Llama 3: pods of 3,072 GPUs, of which a seventh leaves: 4 · 3,072 · 50 GB/s / 7.
TEST(ClusterTopology, OfATaperedNetworkHasTheBisectionOfItsTopTier) {
    const Topology topology = built(cluster("llama3-24k", 3072));
    const NetworkCut cut = bisection(topology);
    EXPECT_NEAR(cut.bandwidth.count() / (4 * 3072 * 50e9 / 7), 1.0, 1e-9);
    for (const LinkIndex link : cut.links) {
        EXPECT_EQ(topology.devices()[topology.links()[link].to].kind, DeviceKind::Core);
    }
    // Half of the nodes under whole leaves of 4 nodes each: half of 32 · 8 · 50 GB/s.
    const Topology leaf = built(cluster("dgx-h100", 64, "ib-ndr-fat-tree-2to1"));
    EXPECT_NEAR(bisection(leaf).bandwidth.count() / (32 * 8 * 50e9 / 2), 1.0, 0.07);
}

// 4 · 450 GB/s over NVLink; and 4 · 63 GB/s over PCIe, which also exists.
TEST(ClusterTopology, OfOneNodeIsItsNvLinkAndPcie) {
    const Topology topology = built(cluster("dgx-h100", 1));
    EXPECT_DOUBLE_EQ(bisection(topology).bandwidth.count(), 4 * 450e9 + 4 * 63e9);
    EXPECT_EQ(count(topology, DeviceKind::NvSwitch), 4);
}

TEST(ClusterTopology, JoinsTraysByTheSwitchesOfTheirDomain) {
    ClusterSpec trays = cluster("gb200-nvl72", 18);
    trays.node = *ProfileStore::builtIn().node("gb200-nvl72-tray");
    const Topology topology = built(trays, {.hostLink = 450_GBps});
    EXPECT_EQ(count(topology, DeviceKind::NvSwitch), 18);
    EXPECT_TRUE(topology.link("node17/gpu3-domain0/nvswitch17"));
    EXPECT_EQ(topology.links()[*topology.link("node0/gpu0-node0/cpu0")].bandwidth, 450_GBps);
    // 36 GPUs of 72 at 900 GB/s, and their NICs of 50 GB/s, as NVLink and the network add up.
    EXPECT_DOUBLE_EQ(bisection(topology).bandwidth.count(), 36 * 900e9 + 36 * 50e9);
}

TEST(ClusterTopology, DrawsPcieAsTheProfileSays) {
    const Topology switched = built(cluster("8x-rtx-pro-6000", 1));
    EXPECT_EQ(count(switched, DeviceKind::NvSwitch), 0);
    ClusterSpec spec = cluster("8x-rtx-pro-6000", 1);
    spec.node = *ProfileStore::builtIn().node("8x-rtx-pro-6000-esc8000a");
    const Topology asus = built(spec);
    EXPECT_EQ(count(asus, DeviceKind::PciSwitch), 4);
    EXPECT_TRUE(asus.link("node0/gpu7-node0/pci3"));
    // Two switches of a socket have an uplink of 63 GB/s each.
    EXPECT_DOUBLE_EQ(bisection(asus).bandwidth.count(), 2 * 63e9);
    const Topology mesh = built(cluster("mi300x-8", 1));
    EXPECT_DOUBLE_EQ(mesh.links()[*mesh.link("node0/gpu0-node0/gpu7")].bandwidth.count(), 64e9);
}

TEST(ClusterTopology, JoinsSitesOverADistance) {
    const Topology topology =
        built(cluster("dgx-h100", 4),
              {.wan = {.sites = 2, .bandwidth = 10_GBps, .latency = Seconds(0.02)}});
    EXPECT_DOUBLE_EQ(bisection(topology).bandwidth.count(), 10e9);
    EXPECT_TRUE(topology.device("site1/node3/gpu7"));
    EXPECT_TRUE(topology.device("wan0"));
}

TEST(ClusterTopology, RefusesWhatHasNoNetwork) {
    ClusterSpec lonely = cluster("dgx-h100", 2);
    lonely.node.nics.value = 0;
    EXPECT_FALSE(clusterTopology(lonely, {}));
    lonely.nodes = 1;
    EXPECT_TRUE(clusterTopology(lonely, {}));
    EXPECT_FALSE(clusterTopology(cluster("dgx-h100", 1'000'000), {}));
}

TEST(ClusterTopology, RefusesGraphsThatAreTooLarge) {
    const auto refusal = [](const ClusterSpec& spec, bool fails) {
        const auto refused = checkGraphSize(spec, {.fails = fails});
        return refused ? std::string() : refused.error().why + " | " + refused.error().hint;
    };
    ClusterSpec dgx = cluster("dgx-h100", 16'384);
    EXPECT_EQ(refusal(dgx, false), "");
    EXPECT_EQ(refusal(dgx, true),
              "the graph would have more than 65536 GPUs, some of whose links are down | -n 8192");
    dgx.nodes = 16'385;
    EXPECT_EQ(refusal(dgx, false), "the graph would have more than 131072 GPUs | -n 16384");
    dgx.nodes = 2;
    dgx.node.gpus = 2049;
    EXPECT_EQ(refusal(dgx, false),
              "the graph would have several nodes of more than 2048 GPUs | -n 1, or smaller nodes");
    dgx.nodes = 1;
    EXPECT_EQ(refusal(dgx, false), "");
}

/// Every built-in cluster with one, two and more nodes.
TEST(ClusterTopology, IsBuiltForEveryClusterThereIs) {
    std::size_t tried = 0;
    for (const ProfileKind kind : {ProfileKind::Cluster, ProfileKind::Node}) {
        const auto rows = listProfiles(ProfileStore::builtIn(), kind);
        ASSERT_TRUE(rows);
        for (const ProfileRow& row : *rows) {
            for (const std::int64_t nodes : {1, 2, 7, 40}) {
                const ClusterSpec spec = cluster(row.name, nodes);
                const auto made = clusterTopology(spec, {});
                if (!made) {
                    EXPECT_EQ(spec.node.nics.value.value_or(0), 0) << made.error().text();
                    continue;
                }
                EXPECT_TRUE(gpuReach(made->topology).apart.empty()) << row.name << " " << nodes;
                EXPECT_GT(bisection(made->topology).bandwidth.count(), 1e9)
                    << row.name << " " << nodes;
                ++tried;
            }
        }
    }
    EXPECT_GT(tried, 350U);
}

TEST(TopologyBuilder, RefusesWhatNoMachineHas) {
    TopologyBuilder builder;
    const DeviceIndex gpu = *builder.add({.name = "gpu0", .node = 0});
    const DeviceIndex nic = *builder.add({.name = "nic0", .kind = DeviceKind::Nic, .node = 0});
    EXPECT_FALSE(builder.add({.name = "gpu0", .node = 0}));
    EXPECT_FALSE(builder.add({.name = "a b", .node = 0}));
    EXPECT_FALSE(builder.join({.from = gpu, .to = gpu, .bandwidth = 1_GBps}));
    EXPECT_FALSE(builder.join({.from = gpu, .to = nic}));
    EXPECT_FALSE(builder.join({.from = gpu, .to = nic, .bandwidth = BytesPerSecond(1e18)}));
    EXPECT_FALSE(builder.join({.from = gpu, .to = nic, .bandwidth = BytesPerSecond(0.0 / 0.0)}));
    EXPECT_TRUE(builder.join({.from = gpu, .to = nic, .bandwidth = 1_GBps}));
    EXPECT_FALSE(builder.join({.from = nic, .to = gpu, .bandwidth = 1_GBps}));
}

}  // namespace
}  // namespace fabricast
