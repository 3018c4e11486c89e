#include "planner/profiles/profile_store.h"
#include "simulator/engine/simulate.h"
#include "simulator/links/link_use.h"
#include "simulator/links/step_flows.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr double kNic = 50e9;

/// Seconds of a gather over both nodes' data ranks that takes a second alone, and uses this share
/// of every NIC, with a link that is slow.
double gatherWith(const std::string& link, double factor, double nicShare) {
    Scenario scenario;
    scenario.cluster = ProfileStore::builtIn().cluster("dgx-h100").value();
    scenario.cluster.nodes = 2;
    scenario.layout = {.dp = 16};
    StepFlows flows = StepFlows::of(scenario, {}, StepFlows::Actors::Classes).value();
    EXPECT_TRUE(flows.slow(link, factor));
    // Eight rings, each by its own NIC, which carries an eighth of what a rank sends.
    const double rate = 8.0 * nicShare * kNic;
    const SentBytes sent{.bytes = rate, .seconds = 1.0, .op = CommOp::AllGather};
    SimProgram program({.actors = 1});
    program.add({.duration = simTime(Seconds(1.0)),
                 .stream = SimStream::Data,
                 .flow = flows.collective(0, SimStream::Data, sent)});
    flows.finish(program);
    return seconds(simulate(program)->makespan).count();
}

TEST(SlowLink, SlowsWhatFillsIt) {
    const std::string nic = "node0/nic2-leaf2";
    EXPECT_NEAR(gatherWith(nic, 4.0, 1.0), 4.0, 1e-9);
    EXPECT_NEAR(gatherWith(nic, 4.0, 0.5), 2.0, 1e-9);
    EXPECT_NEAR(gatherWith(nic, 4.0, 0.25), 1.0, 1e-9);
    EXPECT_NEAR(gatherWith(nic, 4.0, 0.1), 1.0, 1e-9);
    // Rings stay on their rail, below the spine.
    EXPECT_NEAR(gatherWith("leaf2-spine0", 100.0, 1.0), 1.0, 1e-9);
}

TEST(SlowLink, IsTheMostLoadedOfItsClass) {
    Scenario scenario;
    scenario.cluster = ProfileStore::builtIn().cluster("dgx-h100").value();
    scenario.cluster.nodes = 2;
    scenario.layout = {.dp = 16};
    StepFlows flows = StepFlows::of(scenario, {}, StepFlows::Actors::Classes).value();
    ASSERT_TRUE(flows.slow("node1/nic5-leaf5", 10.0));
    const SentBytes sent{.bytes = 0.4 * kNic, .seconds = 1.0, .op = CommOp::AllGather};
    SimProgram program({.actors = 1});
    program.add({.duration = simTime(Seconds(1.0)),
                 .stream = SimStream::Data,
                 .flow = flows.collective(0, SimStream::Data, sent)});
    flows.finish(program);
    const SimRun run = simulate(program).value();
    bool found = false;
    for (const LinkUse& use : linkUses(program, run, flows)) {
        if (use.name == "nic-leaf") {
            found = true;
            EXPECT_EQ(use.fullest, "node1/nic5-leaf5");
            EXPECT_NEAR(use.most, 0.5, 1e-6);  // an eighth of 0.4, ten times as slow
        }
    }
    EXPECT_TRUE(found);
}

TEST(SlowLink, HasToBeThere) {
    StepFlows none;
    const auto slowed = none.slow("node0/nic2-leaf2", 2.0);
    ASSERT_FALSE(slowed);
    EXPECT_EQ(slowed.error().where, "--stragglers");
    EXPECT_NE(slowed.error().why.find("node0/nic2-leaf2"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
