#include "planner/comm/collective_time.h"

#include "planner/profiles/profile_store.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

namespace fabricast {
namespace collective_time_test {

const ProfileStore& profiles() {
    static const ProfileStore store = ProfileStore::builtIn();
    return store;
}

/// A cluster as its library sees it.
struct Machine {
    ClusterSpec cluster;
    NcclModel model;
    ClusterLinks links;
};

Machine machine(const std::string& name) {
    Machine result{.cluster = *profiles().cluster(name)};
    const bool amd = result.cluster.node.gpu.vendor == "AMD";
    result.model = *profiles().ncclModel(amd ? "rccl" : "nccl");
    result.links = *clusterLinks(result.cluster, result.model);
    return result;
}

constexpr std::array kKinds = {CollectiveKind::AllReduce,
                               CollectiveKind::AllGather,
                               CollectiveKind::ReduceScatter,
                               CollectiveKind::Broadcast,
                               CollectiveKind::Reduce,
                               CollectiveKind::AllToAll,
                               CollectiveKind::SendReceive};
const std::vector<std::string> kMachines = {"dgx-h100",
                                            "dgx-a100",
                                            "dgx-b200",
                                            "gb200-nvl72",
                                            "dgx-1-v100",
                                            "mi300x-8",
                                            "4x-a100-pcie",
                                            "8x-h200-nvl",
                                            "8x-rtx-4090",
                                            "8x-rtx-pro-6000-esc8000a",
                                            "aws-p5",
                                            "gcp-a3-highgpu-8g",
                                            "aws-p3"};

double microseconds(const Machine& on, CollectiveKind kind, std::int64_t ranks, double bytes) {
    const GroupShape shape = wholeNodes(ranks, on.links);
    return CollectivePrior(kind, shape, on.links, on.model).secondsAt(bytes).count() * 1e6;
}

TEST(CollectiveTime, IsWhatNcclItselfWouldSay) {
    // Eight H100: 12 rings of 30 GB/s gather at 360 · 8/7 GB/s; the switch reduces at
    // 8 · min(40 · 0.85 · 7/8 · 2, 60) · 8/14.
    const Machine h100 = machine("dgx-h100");
    EXPECT_NEAR(microseconds(h100, CollectiveKind::AllGather, 8, 8e9),
                8e9 / (360e9 * 8 / 7) * 1e6 + 8.4 + 7 * 3.4,
                0.5);
    EXPECT_NEAR(microseconds(h100, CollectiveKind::AllReduce, 8, 8e9),
                8e9 / (476e9 * 8 / 14) * 1e6 + 25,
                0.5);
    const CollectiveTime large = collectiveTime(CollectiveKind::AllReduce,
                                                Bytes(8'000'000'000),
                                                wholeNodes(8, h100.links),
                                                h100.links,
                                                h100.model);
    EXPECT_EQ(large.algorithm, CollectiveAlgorithm::Nvls);
    EXPECT_EQ(large.channels, 16);
    const CollectiveTime small = collectiveTime(
        CollectiveKind::AllReduce, Bytes(256), wholeNodes(8, h100.links), h100.links, h100.model);
    EXPECT_EQ(small.protocol, CollectiveProtocol::Ll);
    EXPECT_EQ(small.channels, 1);
    EXPECT_NEAR(small.seconds.count() * 1e6, 15.0, 0.1);
}

TEST(CollectiveTime, GivesAGroupTheNicsOfItsMembers) {
    // 64 H100: a gather over all of them enters each node by eight NICs, eight groups with one
    // member in each node by one NIC each.
    const Machine h100 = machine("dgx-h100");
    const Layout layout{.dp = 8, .tp = 8};
    const GroupShape data = groupShape(layout, {}, GroupKind::Data, h100.links);
    EXPECT_EQ(data.nodes, 8);
    EXPECT_EQ(data.sharing, 8);
    EXPECT_DOUBLE_EQ(data.nics, 1.0);
    const GroupShape world = groupShape(layout, {}, GroupKind::World, h100.links);
    EXPECT_DOUBLE_EQ(world.nics, 8.0);
    const auto gather = [&](const GroupShape& shape) {
        return CollectivePrior(CollectiveKind::AllGather, shape, h100.links, h100.model)
            .secondsAt(8e9)
            .count();
    };
    EXPECT_NEAR(gather(data) / gather(world), 8.0 * 7 / 8 * 64 / 63, 0.5);
    const GroupShape tensor = groupShape(layout, {}, GroupKind::Tensor, h100.links);
    EXPECT_EQ(tensor.nodes, 1);
}

TEST(CollectiveTime, TakesARackOfNvlinkForANode) {
    const Machine rack = machine("gb200-nvl72");
    const Layout layout{.dp = 4, .tp = 8, .pp = 4, .ep = 32};
    EXPECT_EQ(groupShape(layout, {}, GroupKind::Expert, rack.links).nodes, 1);
    // 128 GPUs take 64 of each of two racks.
    const GroupShape world = groupShape(layout, {}, GroupKind::World, rack.links);
    EXPECT_EQ(world.nodes, 2);
    EXPECT_EQ(world.perNode, 64);
    const Machine trays = machine("gb200-nvl72-tray");
    EXPECT_EQ(groupShape(layout, {}, GroupKind::World, trays.links).nodes, 2);
}

TEST(CollectiveTime, NeverFallsWithMoreBytes) {
    for (const std::string& name : kMachines) {
        const Machine on = machine(name);
        for (const CollectiveKind kind : kKinds) {
            for (const std::int64_t ranks : {2, 4, 8, 16, 64, 1024}) {
                const CollectivePrior prior(kind, wholeNodes(ranks, on.links), on.links, on.model);
                double before = 0.0;
                for (double bytes = 1; bytes < 1e11; bytes *= 1.07) {
                    const double now = prior.secondsAt(bytes).count();
                    ASSERT_GE(now, before)
                        << name << " " << collectiveName(kind) << " " << ranks << " " << bytes;
                    ASSERT_TRUE(std::isfinite(now)) << name;
                    before = now;
                }
            }
        }
    }
}

TEST(CollectiveTime, IsNeverLongerWithFasterLinks) {
    for (const std::string& name : kMachines) {
        const Machine slow = machine(name);
        Machine fast = slow;
        fast.links.nicBandwidth = slow.links.nicBandwidth * 2.0;
        fast.links.gpuBandwidth = slow.links.gpuBandwidth * 2.0;
        fast.links.generation.linkBandwidth = slow.links.generation.linkBandwidth * 2.0;
        fast.links.pciNodeRing = slow.links.pciNodeRing * 2.0;
        fast.links.pciSocketRing = slow.links.pciSocketRing * 2.0;
        for (const CollectiveKind kind : kKinds) {
            for (const std::int64_t ranks : {2, 8, 32, 256}) {
                for (const double bytes : {1e3, 1e6, 1e9}) {
                    EXPECT_LE(microseconds(fast, kind, ranks, bytes),
                              microseconds(slow, kind, ranks, bytes) * (1 + 1e-9))
                        << name << " " << collectiveName(kind) << " " << ranks << " " << bytes;
                }
            }
        }
    }
}

// Of eight RTX PRO 6000 128 KiB took 45 us and 256 KiB 29 us: from 16 KiB to each on without flags.
TEST(CollectiveTime, SendsWithFlagsUpToSoManyBytesToEach) {
    for (const std::string& name : kMachines) {
        const Machine on = machine(name);
        for (const CollectiveKind kind : {CollectiveKind::AllToAll, CollectiveKind::SendReceive}) {
            for (const std::int64_t ranks : {2, 8, 16}) {
                const CollectivePrior prior(kind, wholeNodes(ranks, on.links), on.links, on.model);
                const std::int64_t parts = kind == CollectiveKind::AllToAll ? ranks : 1;
                const Bytes most(16 * 1024 * parts);
                EXPECT_EQ(prior.at(most).protocol, CollectiveProtocol::Ll) << name << ranks;
                EXPECT_EQ(prior.at(Bytes(most.count() + parts)).protocol,
                          CollectiveProtocol::Simple)
                    << name << ranks;
            }
        }
    }
}

TEST(CollectiveTime, IsNothingForOneRank) {
    const Machine h100 = machine("dgx-h100");
    for (const CollectiveKind kind : kKinds) {
        EXPECT_EQ(microseconds(h100, kind, 1, 1e9), 0.0);
    }
}

TEST(CollectiveTime, ReachesOneXgmiLinkBetweenTwo) {
    const Machine mi300x = machine("mi300x-8");
    // Two GPUs share one link of seven: 4 GiB at 46 GB/s of bus bandwidth.
    EXPECT_NEAR(microseconds(mi300x, CollectiveKind::AllReduce, 2, 4.295e9), 4.295e9 / 46e3, 2e3);
    EXPECT_NEAR(microseconds(mi300x, CollectiveKind::AllReduce, 8, 4.295e9),
                4.295e9 * 1.75 / (7 * 46e3),
                2e3);
}

TEST(CollectiveTime, PaysForATaperedTreeOnlyWhatCrossesIt) {
    Machine tapered = machine("dgx-h100");
    tapered.links.oversubscription = 4.0;
    tapered.links.podNodes = 2;
    const Machine flat = machine("dgx-h100");
    // A ring leaves a pod of two nodes with every second hop: 4 / 2 of the time.
    const auto over = [](const Machine& on, CollectiveKind kind, std::int64_t ranks) {
        return microseconds(on, kind, ranks, 8e9);
    };
    EXPECT_NEAR(
        over(tapered, CollectiveKind::AllGather, 64) / over(flat, CollectiveKind::AllGather, 64),
        2.0,
        0.02);
    EXPECT_EQ(over(tapered, CollectiveKind::AllGather, 16),
              over(flat, CollectiveKind::AllGather, 16));
    // Of an all-to-all over four pods three quarters leave: 4 · 3/4.
    EXPECT_NEAR(
        over(tapered, CollectiveKind::AllToAll, 64) / over(flat, CollectiveKind::AllToAll, 64),
        3.0,
        0.02);
}

TEST(CollectiveTime, ReducesInTheNetworkWhereItCan) {
    const Machine plain = machine("dgx-h100");
    Machine sharp = plain;
    sharp.links.networkReduction = true;
    // 64 nodes: the tree's levels give way to one way up and down.
    const GroupShape shape = wholeNodes(512, sharp.links);
    const Bytes size(1 << 20);
    const CollectiveTime with =
        collectiveTime(CollectiveKind::AllReduce, size, shape, sharp.links, sharp.model);
    const CollectiveTime without =
        collectiveTime(CollectiveKind::AllReduce, size, shape, plain.links, plain.model);
    EXPECT_EQ(with.algorithm, CollectiveAlgorithm::CollNetDirect);
    EXPECT_LT(with.seconds, without.seconds * 0.5);
}

TEST(CollectiveTime, KnowsTheMeshOfFourAndOfEight) {
    // V100: six links of 20 GB/s. Four GPUs have two to each other; of eight, four lead into the
    // half of the board.
    const Machine four = machine("jean-zay-v100");
    const Machine eight = machine("dgx-1-v100");
    const auto bus = [](const Machine& on, std::int64_t ranks) {
        return nodeRing(wholeNodes(ranks, on.links), on.links).bus.count() * 1e-9;
    };
    EXPECT_NEAR(bus(four, 2), 40, 1e-9);
    EXPECT_NEAR(bus(four, 4), 120, 1e-9);
    EXPECT_NEAR(bus(eight, 4), 80, 1e-9);
    EXPECT_NEAR(bus(eight, 8), 120, 1e-9);
}

TEST(ClusterLinks, KnowEveryNodeThatIsShipped) {
    for (const ProfileFile& file : profiles().files(ProfileKind::Node)) {
        const ClusterSpec cluster = *profiles().cluster(file.name);
        const bool amd = cluster.node.gpu.vendor == "AMD";
        const auto links = clusterLinks(cluster, *profiles().ncclModel(amd ? "rccl" : "nccl"));
        EXPECT_TRUE(links) << file.name << ": " << links.error().text();
        if (links && cluster.node.gpus > 1) {
            const GroupShape all = wholeNodes(cluster.node.gpus, *links);
            EXPECT_GT(ncclGraph(all, *links).ringBus.count(), 0) << file.name;
        }
    }
}

TEST(ClusterLinks, RefusesGpusThatTheLibraryDoesNotKnow) {
    ClusterSpec cluster = *profiles().cluster("dgx-h100");
    cluster.node.gpu.architecture = "sm_30";
    const auto links = clusterLinks(cluster, *profiles().ncclModel("nccl"));
    ASSERT_FALSE(links);
    EXPECT_EQ(links.error().code, Error::Code::Unsupported);
    EXPECT_NE(links.error().why.find("sm_30"), std::string::npos);
}

}  // namespace collective_time_test
}  // namespace fabricast
