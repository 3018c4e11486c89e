#include "planner/load/find_named.h"
#include "tests/support/profile_folder.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Result<FoundCluster> find(const ClusterRequest& request, const std::string& folder = {}) {
    return findCluster(request, ProfileStore::builtIn(), {.file = folder});
}

TEST(FindCluster, TakesANodeWhereAClusterIsAsked) {
    const auto found = find({.name = "aws-p5", .nodes = 4});
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->cluster.gpus(), 32);
    EXPECT_EQ(found->cluster.fabric.name, "efa-100");
}

/// The box of a GPU is printed as "8x-mi300x": it is the one that is known by that name.
TEST(FindCluster, ABoxOfAGpuIsTheOneOfItsName) {
    const auto typed = find({.name = "mi300x", .nodes = 8});
    ASSERT_TRUE(typed) << typed.error().text();
    const auto named = find({.name = "8x-mi300x", .nodes = 8});
    ASSERT_TRUE(named) << named.error().text();
    EXPECT_EQ(typed->cluster.node.name, named->cluster.node.name);
    EXPECT_EQ(typed->cluster.fabric.name, named->cluster.fabric.name);
    EXPECT_EQ(typed->cluster.gpus(), 64);
    EXPECT_FALSE(typed->assumed.empty());
    EXPECT_EQ(find({.name = "h100-sxm5-80gb"})->cluster.node.name, "8x-h100-sxm5-80gb");
}

/// A single card of a GPU stands in a desktop: it has not the memory of the box of eight.
TEST(FindCluster, APartOfABoxOfAGpuHasAHostThatIsNotKnown) {
    const auto box = find({.gpu = "rtx-5090", .gpus = 8});
    ASSERT_TRUE(box) << box.error().text();
    EXPECT_TRUE(box->cluster.node.hostMemory.value);
    const auto card = find({.gpu = "rtx-5090", .gpus = 1});
    ASSERT_TRUE(card) << card.error().text();
    EXPECT_FALSE(card->cluster.node.hostMemory.value);
    EXPECT_FALSE(card->cluster.node.nvme.value);
    const auto ranks = withRanks(*find({.gpu = "rtx-5090"}), 2);
    ASSERT_TRUE(ranks) << ranks.error().text();
    EXPECT_FALSE(ranks->node.hostMemory.value);
    const auto said = find({.gpu = "rtx-5090", .gpus = 1, .hostMemory = Bytes(64'000'000'000)});
    ASSERT_TRUE(said) << said.error().text();
    EXPECT_EQ(said->cluster.node.hostMemory.value, Bytes(64'000'000'000));
    EXPECT_FALSE(said->cluster.node.nvme.value);
    EXPECT_TRUE(find({.name = "dgx-h100", .gpus = 1})->cluster.node.hostMemory.value);
}

TEST(FindCluster, ReplacesTheFabric) {
    const auto found = find({.name = "dgx-h100", .fabric = "roce-400-fat-tree-2to1"});
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->cluster.fabric.oversubscription.value, 2.0);
    EXPECT_TRUE(found->cluster.otherFabric);
    EXPECT_EQ(found->cluster.node.nicBandwidth.value, BytesPerSecond(50e9));
    // Its NICs come with it: 100 Gb/s each, or four that share 800 Gb/s.
    EXPECT_EQ(find({.name = "dgx-h100", .fabric = "roce-100"})->cluster.node.nicBandwidth.value,
              BytesPerSecond(12.5e9));
    EXPECT_EQ(find({.name = "dgx-h100", .fabric = "gcp-tcpx"})->cluster.node.nicBandwidth.value,
              BytesPerSecond(12.5e9));
}

TEST(FindCluster, KernelTcpGoesThroughOneNicOfANode) {
    const auto built = find({.gpu = "rtx-4090", .fabric = "tcp-10", .gpusPerNode = 4, .nodes = 2});
    ASSERT_TRUE(built) << built.error().text();
    EXPECT_EQ(built->cluster.node.nics.value, 1);
    ASSERT_EQ(built->assumed.size(), 1U);
    EXPECT_TRUE(built->assumed.front().starts_with("one NIC of tcp-10 a node"))
        << built->assumed.front();
    EXPECT_EQ(find({.name = "dgx-h100", .fabric = "tcp-25"})->cluster.node.nics.value, 1);
    const auto rails = find({.gpu = "rtx-4090", .fabric = "roce-100", .gpusPerNode = 4});
    EXPECT_EQ(rails->cluster.node.nics.value, 4);
    EXPECT_TRUE(rails->assumed.front().starts_with("4 NICs of roce-100 a node, one for each GPU"));
}

TEST(FindCluster, SaysThatCardsArePaired) {
    const auto pair = find({.gpu = "rtx-3090", .gpusPerNode = 2});
    ASSERT_TRUE(pair) << pair.error().text();
    ASSERT_FALSE(pair->assumed.empty());
    EXPECT_NE(pair->assumed.front().find("NVLink bridges"), std::string::npos);
    EXPECT_TRUE(find({.gpu = "rtx-3090", .gpusPerNode = 1})->assumed.empty());
}

TEST(FindCluster, RefusesNodesThatNothingJoins) {
    const auto apart = find({.gpu = "h100-sxm5-80gb", .gpusPerNode = 8, .nodes = 2});
    ASSERT_FALSE(apart);
    EXPECT_NE(apart.error().text().find("no NICs or no network"), std::string::npos);
    const auto rack = find({.gpu = "gb200", .gpusPerNode = 8, .nodes = 8});
    ASSERT_FALSE(rack);
    EXPECT_TRUE(
        rack.error().hint.ends_with("or nodes that have one: -c gb200-nvl72, "
                                    "azure-nd-gb200-v6 or gb200-nvl72-tray"))
        << rack.error().hint;
    const auto box = find({.gpu = "rtx-4090", .nodes = 4});  // the same that -c has
    ASSERT_TRUE(box) << box.error().text();
    EXPECT_EQ(box->cluster.node.name, "8x-rtx-4090");
    EXPECT_EQ(box->cluster.fabric.name, find({.name = "8x-rtx-4090"})->cluster.fabric.name);
    EXPECT_FALSE(find({.name = "8x-rtx-pro-6000-cx8", .nodes = 2}));
    EXPECT_TRUE(find({.name = "8x-rtx-pro-6000-cx8", .nodes = 1}));
    const auto joined =
        find({.gpu = "h100-sxm5-80gb", .fabric = "ib-ndr", .gpusPerNode = 8, .nodes = 2});
    ASSERT_TRUE(joined) << joined.error().text();
    EXPECT_EQ(joined->cluster.node.nics.value, 8);
}

/// A few cards stand in a machine of their own, however they are typed.
TEST(FindCluster, TakesAGpuThatIsTypedAsAClusterForThatGpu) {
    const auto typed = find({.name = "rtx-3060", .gpus = 1});
    const auto gpu = find({.gpu = "rtx-3060", .gpus = 1});
    ASSERT_TRUE(typed && gpu);
    EXPECT_EQ(typed->cluster.node.pci.numaNodes.value, 1);
    EXPECT_EQ(gpu->cluster.node.pci.numaNodes.value, 1);
}

TEST(FindCluster, ReadsAClusterFromItsFile) {
    const TemporaryProfiles mine;
    mine.write("ours.json",
               R"({"schema": "fabricast.cluster/1", "name": "any-name", "title": "Ours",
                   "node": "dgx-a100", "nodes": 6})");
    mine.write("box.json", shippedProfile("nodes/8x-rtx-5090.json"));
    const auto byFlag = find({.name = mine.path("ours.json"), .where = "-c"});
    ASSERT_TRUE(byFlag) << byFlag.error().text();
    EXPECT_EQ(byFlag->cluster.gpus(), 48);
    const auto byScenario = find({.name = "./ours.json", .where = "s.json:1:1"}, mine.path());
    ASSERT_TRUE(byScenario) << byScenario.error().text();
    EXPECT_EQ(byScenario->cluster.gpus(), 48);
    EXPECT_EQ(find({.name = "box.json"}, mine.path())->cluster.node.gpu.name, "rtx-5090");
    EXPECT_NE(find({.name = "missing.json"}, mine.path()).error().where.find("missing.json"),
              std::string::npos);
}

}  // namespace
}  // namespace fabricast
