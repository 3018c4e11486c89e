// Traffic goes around links that have failed, and takes as much longer as the others then carry
// more.
#include "planner/profiles/profile_store.h"
#include "simulator/engine/simulate.h"
#include "simulator/links/link_use.h"
#include "simulator/links/step_flows.h"
#include "simulator/network/cluster_topology.h"
#include "simulator/network/fabric_cuts.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace failed_link_test {

constexpr double kNic = 50e9;

Scenario twoNodes() {
    Scenario scenario;
    scenario.cluster = ProfileStore::builtIn().cluster("dgx-h100").value();
    scenario.cluster.nodes = 2;
    scenario.layout = {.dp = 16};
    return scenario;
}

/// Seconds of a gather over both nodes that takes a second while all is well, and uses this share
/// of every NIC then.
double gatherWithout(const std::vector<std::string>& failed, double nicShare) {
    StepFlows flows = StepFlows::of(twoNodes(), {}, StepFlows::Actors::Classes, failed).value();
    const SentBytes sent{.bytes = 8.0 * nicShare * kNic, .seconds = 1.0, .op = CommOp::AllGather};
    SimProgram program({.actors = 1});
    program.add({.duration = simTime(Seconds(1.0)),
                 .stream = SimStream::Data,
                 .flow = flows.collective(0, SimStream::Data, sent)});
    flows.finish(program);
    return seconds(simulate(program)->makespan).count();
}

// Seven NICs take over an eighth each: 8/7 of the time where they were full.
TEST(FailedLink, LeavesItsTrafficToTheOthers) {
    EXPECT_NEAR(gatherWithout({"node0/nic2-leaf2"}, 1.0), 8.0 / 7.0, 1e-6);
    EXPECT_NEAR(gatherWithout({"leaf2"}, 1.0), 8.0 / 7.0, 1e-6);
    EXPECT_NEAR(gatherWithout({"leaf2", "leaf3"}, 1.0), 8.0 / 6.0, 1e-6);
    EXPECT_NEAR(gatherWithout({"node0/nic2-leaf2"}, 0.5), 1.0, 1e-6) << "there is room";
    EXPECT_NEAR(gatherWithout({"leaf2-spine0"}, 1.0), 1.0, 1e-6) << "rings stay on their rail";
}

// A measurement above the line rate stays what it is while nothing fails.
TEST(FailedLink, SlowsByTheShareThatIsAdded) {
    EXPECT_NEAR(gatherWithout({"node0/nic2-leaf2"}, 3.0), 8.0 / 7.0, 1e-6);
}

TEST(FailedLink, ThatCutsGpusOffIsAnError) {
    const auto flows = StepFlows::of(twoNodes(), {}, StepFlows::Actors::Classes, {"node1"});
    ASSERT_FALSE(flows);
    EXPECT_EQ(flows.error().where, "--fail");
    EXPECT_EQ(flows.error().why,
              "without node1, 8 of 16 GPUs cannot reach the other GPUs, so that no step ends");
}

TEST(FailedLink, HasToBeThere) {
    const auto flows = StepFlows::of(twoNodes(), {}, StepFlows::Actors::Classes, {"leaf99"});
    ASSERT_FALSE(flows);
    EXPECT_NE(flows.error().why.find("leaf99"), std::string::npos);
}

TEST(LinksDown, AreThoseOfTheNodeAndOfTheDevice) {
    const Topology topology = clusterTopology(twoNodes().cluster, {}).value().topology;
    EXPECT_EQ(linksDown(topology, {"node1"})->size(), 8U);
    EXPECT_EQ(linksDown(topology, {"node1", "node1/nic3-leaf3"})->size(), 8U) << "each once";
    EXPECT_EQ(linksDown(topology, {"node1/nic3-leaf3"})->size(), 1U);
    EXPECT_TRUE(linksDown(topology, {})->empty());
}

TEST(LinksDown, OfTheOnlyNodeAreAnError) {
    ClusterSpec one = twoNodes().cluster;
    one.nodes = 1;
    const auto down = linksDown(clusterTopology(one, {}).value().topology, {"node0"});
    ASSERT_FALSE(down);
    EXPECT_EQ(down.error().why, "without node0, the only node, nothing is left");
}

}  // namespace failed_link_test
}  // namespace fabricast
