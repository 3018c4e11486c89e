#include "planner/evidence/likeness.h"
#include "planner/search/lower_bounds.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>
#include <vector>

namespace fabricast {
namespace {

struct FloorCase {
    std::string name;
    SmallWorld world;
    std::string stack;
};

class TokenFloor : public testing::TestWithParam<FloorCase> {};

// Whatever the layout, on one node or several.
TEST_P(TokenFloor, NoStepIsFaster) {
    const SearchTask task = taskOf(GetParam().world, {GetParam().stack});
    const double least = leastGpuSeconds(task, exampleTiming()).value();
    ASSERT_GT(least, 0.0);
    const SearchSpace space = enumerateLayouts(task).value();
    const std::vector<Candidate> all = allOf(space);
    CandidateScenarios scenarios(task, space);
    std::mt19937 random(11);
    double fastest = 1e300;
    std::size_t seen = 0;
    for (std::size_t i = 0; i < 400 && !all.empty(); ++i) {
        const auto scenario = scenarios.allowed(all[random() % all.size()]);
        if (!scenario) {
            continue;
        }
        const auto step = estimateStep(**scenario, exampleTiming());
        if (!step) {
            continue;
        }
        const double tokens = static_cast<double>((*scenario)->workload.globalBatch) *
                              static_cast<double>((*scenario)->workload.sequence);
        const double taken =
            step->step.value.count() * static_cast<double>(task.base.cluster.gpus()) / tokens;
        EXPECT_GE(taken, least) << scenario.value()->layout.tp;
        fastest = std::min(fastest, taken);
        ++seen;
    }
    EXPECT_GT(seen, 10U);
    EXPECT_LT(fastest, 20.0 * least);  // it says something
}

// Own runs that were faster than their machine's speeds say lower it.
TEST(TokenFloors, AreNotAboveWhatOwnRunsTook) {
    SearchTask task = taskOf({.gpus = 8}, {"fsdp2"});
    const double plain = leastGpuSeconds(task, exampleTiming()).value();
    RunTraits traits;
    traits.counts.fill(1.0);
    task.base.cluster.node.own.like = ownLikeness({{.traits = traits, .weight = -0.2}});
    EXPECT_NEAR(
        leastGpuSeconds(task, exampleTiming()).value(), std::exp(-0.2) * plain, 1e-9 * plain);
}

/// A stack that has no kernels of the model has no plan: the others bound the step.
TEST(TokenFloors, LeaveOutStacksWithoutKernels) {
    const SmallWorld world{.model = "grok-1", .gpus = 16, .batch = 64};
    const auto least = [&world](const std::vector<std::string>& stacks) {
        return leastGpuSeconds(taskOf(world, stacks), exampleTiming()).value();
    };
    EXPECT_GT(least({"torchtitan"}), 0.0);
    EXPECT_EQ(least({"deepspeed", "torchtitan"}), least({"torchtitan"}));
    EXPECT_EQ(least({"deepspeed"}), 0.0);  // the search says why it has none
}

INSTANTIATE_TEST_SUITE_P(
    Search,
    TokenFloor,
    testing::Values(
        FloorCase{"megatron", {.gpus = 16, .batch = 64}, "megatron"},
        FloorCase{"titan", {.gpus = 16, .batch = 64}, "torchtitan"},
        FloorCase{"fsdp", {.gpus = 8, .batch = 64}, "fsdp2"},
        FloorCase{"ddp", {.gpus = 4, .batch = 64}, "ddp"},
        FloorCase{"deepspeed", {.gpus = 8, .batch = 64}, "deepspeed"},
        FloorCase{"experts", {.model = "mixtral-8x7b", .gpus = 16, .batch = 64}, "megatron"},
        FloorCase{
            "titan_experts", {.model = "mixtral-8x7b", .gpus = 16, .batch = 64}, "torchtitan"},
        FloorCase{"latent", {.model = "deepseek-v3", .gpus = 16, .batch = 64}, "megatron"}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace fabricast
