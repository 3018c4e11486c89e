#include "planner/search/find_plans.h"

#include "planner/memory/estimate_memory.h"
#include "planner/search/memory_bound.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

SearchTask smallTask(const std::vector<std::string>& stacks, Bytes memory) {
    SearchTask task{.base = exampleRun("fsdp2", {.dp = 8})};
    task.base.model.layers = 2;
    task.base.model.vocab = 32000;
    task.base.workload = {.sequence = 4096, .globalBatch = 8};
    task.base.cluster.node.gpu.usableMemory = {.value = memory};
    task.rules.forbidden = {{"pp", ""}, {"cp", ""}};
    for (const std::string& name : stacks) {
        const Stack* stack = findStack(name).value();
        const ModelSpec model = task.base.model;
        task.stacks.push_back({stack, [stack, model](const Layout& layout) -> Result<Settings> {
                                   return defaultSettings(*stack, model, layout);
                               }});
    }
    return task;
}

using Found = std::vector<std::tuple<double, std::string, Layout>>;

Found found(const SearchTask& task, std::size_t threads) {
    Found plans;
    const auto report = findPlans(task, exampleTiming(), {.top = 6, .threads = threads});
    for (const Plan& plan : report.value().plans) {
        plans.emplace_back(plan.step.step.value.count(), plan.scenario.stack, plan.scenario.layout);
    }
    return plans;
}

/// Every layout estimated and walked.
std::vector<double> bruteForce(const SearchTask& task, std::size_t top) {
    std::vector<double> times;
    const SearchSpace space = enumerateLayouts(task).value();
    for (const Candidate& candidate : space.candidates) {
        const Scenario scenario = space.scenarioOf(task, candidate);
        const auto memory = judgeMemory(scenario);
        const auto step = estimateStep(scenario, exampleTiming());
        if (step && memory && memory->verdict != Verdict::DoesNotFit) {
            times.push_back(step->step.value.count());
        }
    }
    std::sort(times.begin(), times.end());
    times.resize(std::min(times.size(), top));
    return times;
}

TEST(FindPlans, FindsWhatBruteForceFinds) {
    for (const Bytes memory : {80_GiB, 8_GiB}) {
        const SearchTask task = smallTask({"fsdp2", "deepspeed"}, memory);
        const Found plans = found(task, 1);
        const std::vector<double> times = bruteForce(task, 6);
        ASSERT_EQ(plans.size(), times.size());
        ASSERT_FALSE(plans.empty());
        for (std::size_t i = 0; i < plans.size(); ++i) {
            EXPECT_DOUBLE_EQ(std::get<0>(plans[i]), times[i]) << "plan " << i;
        }
    }
}

TEST(FindPlans, SaysTheSameForAnyNumberOfThreads) {
    const SearchTask task = smallTask({"fsdp2", "deepspeed"}, 8_GiB);
    EXPECT_EQ(found(task, 1), found(task, 3));
}

TEST(MemoryBound, IsNeverAboveTheWalk) {
    const SearchTask task = smallTask({"fsdp2", "deepspeed"}, 8_GiB);
    const SearchSpace space = enumerateLayouts(task).value();
    MemoryBound bound(task, space);
    for (const Candidate& candidate : space.candidates) {
        const auto memory = judgeMemory(space.scenarioOf(task, candidate));
        if (memory) {
            EXPECT_LE(bound.bytes(candidate), memory->peak.lo.count())
                << layoutText(candidate.layout);
        }
    }
}

}  // namespace
}  // namespace fabricast
