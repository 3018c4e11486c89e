#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fabricast {
namespace {

/// Eight experts, two of them for each token, one to a GPU of two nodes' four pairs.
Scenario expertRun(const std::string& stack, double imbalance) {
    const Layout layout{
        .dp = 16, .ep = 8, .shard = stack == "megatron" ? Shard::Zero1 : Shard::Fsdp};
    Scenario scenario = exampleRun(stack, layout);
    scenario.model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 14336};
    scenario.model.sparse.assign(static_cast<std::size_t>(scenario.model.layers), true);
    scenario.settings = defaultSettings(*findStack(stack).value(), scenario.model, layout);
    scenario.settings.kernels.imbalance = imbalance;
    return scenario;
}

class ExpertLoad : public testing::TestWithParam<const char*> {};

TEST_P(ExpertLoad, TheBusiestRankDecides) {
    const StepEstimate even = estimated(expertRun(GetParam(), 1.0));
    StepEstimate before = even;
    for (const double imbalance : {1.2, 1.5, 2.0, 4.0}) {
        const StepEstimate uneven = estimated(expertRun(GetParam(), imbalance));
        EXPECT_GT(uneven.parts.of(TimePart::Expert), before.parts.of(TimePart::Expert));
        EXPECT_GT(uneven.parts.of(TimePart::Gemm), before.parts.of(TimePart::Gemm));
        before = uneven;
    }
    // Nearly all of the exchange is by the bytes: four times as many take about four times as long.
    EXPECT_NEAR(before.parts.of(TimePart::Expert) / even.parts.of(TimePart::Expert), 4.0, 0.6);
}

INSTANTIATE_TEST_SUITE_P(Stacks, ExpertLoad, testing::Values("megatron", "torchtitan"));

TEST(ExpertLoadCases, AFixedCapacityIsAlwaysEven) {
    const auto run = [](double imbalance) {
        Scenario scenario = expertRun("megatron", imbalance);
        scenario.settings.kernels.capacityFactor = 1.0;
        scenario.settings.kernels.padToCapacity = true;
        return estimated(scenario);
    };
    EXPECT_GT(run(1.0).step.value.count(), 0.0);
    EXPECT_EQ(run(1.0).step.value, run(3.0).step.value);
}

TEST(ExpertLoadCases, ALoadBelowTheEvenShareDoesNotShortenTheExchange) {
    const StepEstimate even = estimated(expertRun("megatron", 1.0));
    const StepEstimate lucky = estimated(expertRun("megatron", 0.5));
    EXPECT_EQ(lucky.parts.of(TimePart::Expert), even.parts.of(TimePart::Expert));
}

TEST(Placement, PipelineInsideSwapsWhatCrossesTheNetwork) {
    Scenario scenario = exampleRun(
        "megatron",
        {.dp = 4, .tp = 2, .pp = 4, .shard = Shard::Zero1, .schedule = ScheduleKind::OneFOneB});
    const auto crosses = [&scenario](std::string_view axis) {
        const StepEstimate step = estimated(scenario);
        return std::ranges::any_of(step.comm, [axis](const CommLine& line) {
            return line.axis == axis && line.betweenNodes;
        });
    };
    EXPECT_TRUE(crosses("pp"));
    EXPECT_FALSE(crosses("shard"));
    scenario.layout.placement = RankPlacement::PpInside;
    EXPECT_FALSE(crosses("pp"));
    EXPECT_TRUE(crosses("shard"));
}

}  // namespace
}  // namespace fabricast
