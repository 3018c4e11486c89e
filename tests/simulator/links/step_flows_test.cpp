#include "simulator/links/step_flows.h"

#include "planner/profiles/profile_store.h"
#include "simulator/engine/simulate.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace step_flows_test {

/// Two nodes of eight GPUs, a stage on each.
Scenario twoNodes() {
    Scenario scenario;
    scenario.cluster = ProfileStore::builtIn().cluster("dgx-h100").value();
    scenario.cluster.nodes = 2;
    scenario.layout = {.dp = 8, .pp = 2};
    return scenario;
}

/// Data ranks 0, 2, 4, … are in both nodes where the pipeline is numbered inside.
constexpr RankOrder kPipelineInside{.pipelineInside = true};

constexpr double kNic = 50e9;

SentBytes gatherAt(double rate) {
    return {.bytes = rate, .seconds = 1.0, .group = GroupKind::Data, .op = CommOp::AllGather};
}

/// A transfer of a second on each of the streams, all at once.
double secondsTogether(StepFlows& flows,
                       const std::vector<std::pair<SimStream, std::uint32_t>>& all) {
    SimProgram program({.actors = 1});
    for (const auto& [stream, flow] : all) {
        program.add({.duration = simTime(Seconds(1.0)), .stream = stream, .flow = flow});
    }
    flows.finish(program);
    return seconds(simulate(program)->makespan).count();
}

StepFlows flowsOf(const Scenario& scenario, const RankOrder& order) {
    return StepFlows::of(scenario, order, StepFlows::Actors::Classes).value();
}

TEST(StepFlows, ATransferAloneTakesWhatItTakes) {
    // More than the NIC's rate: the measurement overrides the line rate.
    for (const double rate : {0.1 * kNic, kNic, 10.0 * kNic}) {
        StepFlows flows = flowsOf(twoNodes(), kPipelineInside);
        const std::uint32_t gather = flows.collective(0, SimStream::Data, gatherAt(rate));
        EXPECT_EQ(secondsTogether(flows, {{SimStream::Data, gather}}), 1.0) << rate;
    }
}

// Stage 0's data ranks are 0, 2, 4, 6 of either node: four rings, each by its own NIC, so that a
// NIC carries a quarter of what a rank sends.
TEST(StepFlows, TwoThatFillANicTakeTwiceAsLong) {
    const auto together = [](double first, double second) {
        StepFlows flows = flowsOf(twoNodes(), kPipelineInside);
        const std::uint32_t a = flows.collective(0, SimStream::Data, gatherAt(first));
        const std::uint32_t b = flows.collective(0, SimStream::Expert, gatherAt(second));
        return secondsTogether(flows, {{SimStream::Data, a}, {SimStream::Expert, b}});
    };
    EXPECT_NEAR(together(4.0 * kNic, 4.0 * kNic), 2.0, 1e-9);
    EXPECT_NEAR(together(2.0 * kNic, 2.0 * kNic), 1.0, 1e-9);
    // Each gets half: the slower one is as fast as alone, the other has what is left, and after a
    // second all.
    EXPECT_NEAR(together(4.0 * kNic, 2.0 * kNic), 1.5, 1e-9);
}

TEST(StepFlows, OtherLinksDoNotMatter) {
    StepFlows flows = flowsOf(twoNodes(), {});
    // Each stage is a node: its gathers and the other's meet nowhere.
    const std::uint32_t here = flows.collective(0, SimStream::Data, gatherAt(400e9));
    const std::uint32_t there = flows.collective(1, SimStream::Expert, gatherAt(400e9));
    EXPECT_EQ(secondsTogether(flows, {{SimStream::Data, here}, {SimStream::Expert, there}}), 1.0);
}

TEST(StepFlows, HandOversShareWithGathers) {
    StepFlows flows = flowsOf(twoNodes(), {});
    const SentBytes sent{.bytes = kNic, .seconds = 1.0};
    const std::uint32_t one = flows.handOver(0, 1, sent);
    EXPECT_NEAR(secondsTogether(flows, {{SimStream::Pipeline, one}, {SimStream::Pipeline, one}}),
                2.0,
                1e-9);
    const std::uint32_t back = flows.handOver(1, 0, sent);
    EXPECT_EQ(secondsTogether(flows, {{SimStream::Pipeline, one}, {SimStream::Pipeline, back}}),
              1.0);
}

TEST(StepFlows, WithoutLinksNothingIsShared) {
    StepFlows none;
    EXPECT_EQ(none.collective(0, SimStream::Data, gatherAt(kNic)), kNoFlow);
    EXPECT_EQ(none.topology(), nullptr);
}

}  // namespace step_flows_test
}  // namespace fabricast
