#include "planner/search/find_plans.h"

#include "planner/memory/estimate_memory.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

using Found = std::vector<std::tuple<double, std::string, Layout>>;

Found found(const SearchTask& task, std::size_t threads) {
    Found plans;
    const auto report = findPlans(task, exampleTiming(), {.top = 6, .threads = threads});
    for (const Plan& plan : report.value().plans) {
        plans.emplace_back(plan.step.step.value.count(), plan.scenario.stack, plan.scenario.layout);
    }
    return plans;
}

/// Every layout that its stack takes, estimated; then the fastest ones walked until enough fit.
std::vector<double> bruteForce(const SearchTask& task, std::size_t top) {
    const SearchSpace space = enumerateLayouts(task).value();
    CandidateScenarios scenarios(task, space);
    std::vector<std::pair<double, std::size_t>> steps;
    const std::vector<Candidate> all = allOf(space);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto scenario = scenarios.allowed(all[i]);
        const auto step =
            scenario ? estimateStep(**scenario, exampleTiming()) : tl::unexpected(scenario.error());
        if (step) {
            steps.emplace_back(step->step.value.count(), i);
        }
    }
    std::sort(steps.begin(), steps.end());
    std::vector<double> times;
    for (std::size_t i = 0; i < steps.size() && times.size() < top; ++i) {
        const auto scenario = scenarios.of(all[steps[i].second]);
        const auto memory = judgeMemory(**scenario);
        if (memory && memory->verdict != Verdict::DoesNotFit) {
            times.push_back(steps[i].first);
        }
    }
    return times;
}

struct WorldCase {
    SmallWorld world;
    std::vector<std::string> stacks;
};

class SmallWorlds : public testing::TestWithParam<WorldCase> {};

TEST_P(SmallWorlds, SearchFindsWhatBruteForceFinds) {
    const SearchTask task = taskOf(GetParam().world, GetParam().stacks);
    const Found plans = found(task, 1);
    const std::vector<double> times = bruteForce(task, 6);
    ASSERT_EQ(plans.size(), times.size());
    ASSERT_FALSE(plans.empty());
    for (std::size_t i = 0; i < plans.size(); ++i) {
        EXPECT_DOUBLE_EQ(std::get<0>(plans[i]), times[i]) << "plan " << i;
    }
}

INSTANTIATE_TEST_SUITE_P(
    OfThreeModels,
    SmallWorlds,
    testing::Values(WorldCase{{.gpus = 8, .memory = 80_GiB}, {"fsdp2", "deepspeed"}},
                    WorldCase{{.gpus = 8, .memory = 8_GiB}, {"fsdp2", "deepspeed"}},
                    WorldCase{{.gpus = 4, .memory = 80_GiB}, {"megatron"}},
                    WorldCase{{.gpus = 4, .memory = 12_GiB}, {"megatron", "torchtitan"}},
                    WorldCase{{.gpus = 8, .memory = 8_GiB}, {"torchtitan"}},
                    WorldCase{{.model = "mixtral-8x7b", .layers = 2, .gpus = 4, .memory = 30_GiB},
                              {"megatron"}},
                    WorldCase{{.model = "qwen3-30b-a3b", .layers = 2, .gpus = 8, .memory = 8_GiB},
                              {"torchtitan"}},
                    WorldCase{{.model = "llama-3.2-1b", .layers = 4, .gpus = 16, .memory = 3_GiB},
                              {"megatron", "fsdp2"}}));

TEST(FindPlans, SaysTheSameForAnyNumberOfThreads) {
    const SearchTask task =
        taskOf({.gpus = 8, .memory = 8_GiB}, {"fsdp2", "deepspeed", "megatron"});
    const Found plans = found(task, 1);
    EXPECT_EQ(plans, found(task, 2));
    EXPECT_EQ(plans, found(task, 16));
}

TEST(FindPlans, MoreMemoryNeverMakesTheBestSlower) {
    double before = 1e9;
    for (const Bytes memory : {6_GiB, 8_GiB, 12_GiB, 24_GiB, 80_GiB}) {
        const Found plans = found(taskOf({.gpus = 8, .memory = memory}, {"megatron"}), 1);
        if (!plans.empty()) {
            EXPECT_LE(std::get<0>(plans.front()), before) << memory.count();
            before = std::get<0>(plans.front());
        }
    }
    EXPECT_LT(before, 1e9);
}

}  // namespace
}  // namespace fabricast
