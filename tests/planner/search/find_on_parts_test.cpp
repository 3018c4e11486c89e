#include "planner/search/find_on_parts.h"

#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

std::optional<double> secondsPerToken(const Plan& plan) {
    return 1.0 / plan.step.tokensPerSecond;
}

std::optional<double> gpuSecondsPerToken(const Plan& plan) {
    return static_cast<double>(plan.scenario.layout.world()) / plan.step.tokensPerSecond;
}

std::optional<double> gpusOf(const Plan& plan) {
    return static_cast<double>(plan.scenario.layout.world());
}

TEST(PartsOf, HalvesNodesAndThenTheNode) {
    ClusterSpec cluster = taskOf({.gpus = 8, .memory = 8_GiB}, {}).base.cluster;
    cluster.nodes = 3;
    std::vector<std::int64_t> gpus;
    for (const ClusterSpec& part : partsOf(cluster, 64)) {
        gpus.push_back(part.gpus());
    }
    EXPECT_EQ(gpus, (std::vector<std::int64_t>{24, 16, 8, 4, 2, 1}));
}

/// Half of six nodes are three, whose GPUs divide few batches; four may be the best of them.
TEST(PartsOf, HasNumbersOfNodesThatDivideTheBatchBetweenHalves) {
    ClusterSpec cluster = taskOf({.gpus = 8, .memory = 8_GiB}, {}).base.cluster;
    const auto nodesOf = [&cluster](std::int64_t nodes, std::int64_t batch) {
        cluster.nodes = nodes;
        std::vector<std::int64_t> whole;
        for (const ClusterSpec& part : partsOf(cluster, batch)) {
            if (part.node.gpus == cluster.node.gpus) {
                whole.push_back(part.nodes);
            }
        }
        return whole;
    };
    EXPECT_EQ(nodesOf(6, 64), (std::vector<std::int64_t>{6, 4, 3, 2, 1}));
    EXPECT_EQ(nodesOf(6, 40), (std::vector<std::int64_t>{6, 5, 4, 3, 2, 1}));
    EXPECT_EQ(nodesOf(8, 1024), (std::vector<std::int64_t>{8, 4, 2, 1}));
    cluster.sites.count = 2;
    EXPECT_EQ(nodesOf(12, 64), (std::vector<std::int64_t>{12, 8, 6, 4, 2, 1}));
}

/// Seven GPUs are halved into three, which no batch of two to the power divides.
TEST(PartsOf, HasNumbersOfGpusThatDivideTheBatchInsideANode) {
    const auto gpusOf = [](std::int64_t node, std::int64_t batch) {
        ClusterSpec cluster = taskOf({.gpus = 8, .memory = 8_GiB}, {}).base.cluster;
        cluster.node.gpus = node;
        std::vector<std::int64_t> gpus;
        for (const ClusterSpec& part : partsOf(cluster, batch)) {
            gpus.push_back(part.gpus());
        }
        return gpus;
    };
    EXPECT_EQ(gpusOf(8, 64), (std::vector<std::int64_t>{8, 4, 2, 1}));
    EXPECT_EQ(gpusOf(7, 16), (std::vector<std::int64_t>{7, 4, 3, 2, 1}));
    EXPECT_EQ(gpusOf(7, 12), (std::vector<std::int64_t>{7, 6, 4, 3, 2, 1}));
    EXPECT_EQ(
        gpusOf(72, 192),
        (std::vector<std::int64_t>{72, 64, 48, 36, 32, 24, 18, 16, 12, 9, 8, 6, 5, 4, 3, 2, 1}));
}

/// A part of a node draws its share of the node's power, however many parts there are.
TEST(PartsOf, TakesTheShareOfANodesPower) {
    ClusterSpec cluster = taskOf({.gpus = 7, .memory = 8_GiB}, {}).base.cluster;
    cluster.node.power.value = Watts(7000.0);
    for (const ClusterSpec& part : partsOf(cluster, 12)) {
        EXPECT_DOUBLE_EQ(part.node.power.value->count(), 1000.0 * static_cast<double>(part.gpus()));
    }
}

TEST(FindOnParts, MoreGpusNeverHurtWhereSomeMayIdle) {
    double before = 0.0;
    for (const std::int64_t gpus : {2, 4, 8, 16}) {
        const auto report = findOnParts(taskOf({.gpus = gpus, .memory = 12_GiB}, {"megatron"}),
                                        exampleTiming(),
                                        {.top = 1},
                                        &secondsPerToken);
        ASSERT_TRUE(report.has_value());
        if (!report->plans.empty()) {
            EXPECT_GE(report->plans.front().step.tokensPerSecond, before * (1 - 1e-12)) << gpus;
            before = report->plans.front().step.tokensPerSecond;
        }
    }
    EXPECT_GT(before, 0.0);
}

TEST(FindOnParts, FindsTheFewestGpusThatHoldTheModel) {
    const SearchTask task = taskOf({.gpus = 8, .memory = 12_GiB}, {"megatron", "fsdp2"});
    const auto few = findOnParts(task, exampleTiming(), {.top = 1}, &gpusOf);
    ASSERT_FALSE(few.value().plans.empty());
    const std::int64_t gpus = few->plans.front().scenario.layout.world();
    EXPECT_LT(gpus, 8);
    for (const ClusterSpec& part : partsOf(task.base.cluster, task.base.workload.globalBatch)) {
        SearchTask smaller = task;
        smaller.base.cluster = part;
        const bool fits = !findPlans(smaller, exampleTiming(), {.top = 1}).value().plans.empty();
        EXPECT_TRUE(!fits || part.gpus() >= gpus) << part.gpus();
    }
}

/// No number of a node's GPUs is better than the best of those that are searched.
TEST(FindOnParts, FindsWhatEveryNumberOfGpusWouldFind) {
    const auto best = [](const PlanReport& report, const PlanValue& value) {
        double least = std::numeric_limits<double>::infinity();
        for (const Plan& plan : report.plans) {
            least = std::min(least, *value(plan));
        }
        return least;
    };
    const PlanValue values[] = {&secondsPerToken, &gpuSecondsPerToken, &gpusOf};
    for (const std::int64_t gpus : {3, 5, 6, 7}) {
        for (const std::int64_t batch : {4, 6, 16}) {
            for (const PlanValue& value : values) {
                SearchTask task =
                    taskOf({.gpus = gpus, .memory = 12_GiB, .batch = batch}, {"fsdp2"});
                const SearchOptions options{.top = 1};
                const auto parts = findOnParts(task, exampleTiming(), options, value).value();
                double least = std::numeric_limits<double>::infinity();
                for (std::int64_t fewer = 1; fewer <= gpus; ++fewer) {
                    task.base.cluster.node.gpus = fewer;
                    const auto alone = findPlans(task, exampleTiming(), options).value();
                    least = std::min(least, best(alone, value));
                }
                EXPECT_LT(least, std::numeric_limits<double>::infinity());
                EXPECT_LE(best(parts, value), least * (1 + 1e-12)) << batch << " on " << gpus;
            }
        }
    }
}

/// All parts together walk no more than one search may, but for the layout with which each ends.
TEST(FindOnParts, SharesTheWorkOfOneSearch) {
    SearchTask task = taskOf({.layers = 8, .gpus = 32, .memory = 40_GiB}, {"megatron"});
    constexpr std::int64_t kMost = 400'000;
    constexpr std::int64_t kOfOneLayout = 40'000;
    const SearchOptions options{
        .top = 60, .objective = PlanObjective::Memory, .mostWalked = kMost, .known = nullptr};
    const auto report = findOnParts(task, exampleTiming(), options, &gpusOf).value();
    const auto parts = static_cast<std::int64_t>(
        partsOf(task.base.cluster, task.base.workload.globalBatch).size());
    EXPECT_NE(report.cutShort, "");
    EXPECT_LE(report.walked, kMost + parts * kOfOneLayout);
    EXPECT_GT(report.walked, kMost / 3);
}

/// More ranks than samples: only a part of the cluster has layouts.
TEST(FindOnParts, AnswersWhatTheWholeClusterHasNoLayoutFor) {
    const SearchTask task = taskOf({.gpus = 16, .memory = 80_GiB, .batch = 4}, {"fsdp2"});
    const auto whole = findPlans(task, exampleTiming(), {.top = 1}).value();
    ASSERT_TRUE(whole.plans.empty());
    const auto parts = findOnParts(task, exampleTiming(), {.top = 1}, &gpusOf).value();
    ASSERT_FALSE(parts.plans.empty());
    EXPECT_FALSE(parts.refused);
}

TEST(Pareto, EachNeedsLessMemoryThanAllThatAreFaster) {
    const SearchTask task = taskOf({.layers = 8, .gpus = 8, .memory = 40_GiB}, {"megatron"});
    const auto report = findPlans(task, exampleTiming(), {.top = 2, .pareto = true});
    const std::vector<Plan>& front = report.value().pareto;
    ASSERT_GT(front.size(), 2U);
    for (std::size_t i = 1; i < front.size(); ++i) {
        EXPECT_GT(front[i].step.step.value, front[i - 1].step.step.value);
        EXPECT_LT(front[i].memory.peak.value, front[i - 1].memory.peak.value);
    }
    EXPECT_EQ(report->plans.size(), 2U);
}

TEST(Pareto, IsTheSameForAnyNumberOfRows) {
    const SearchTask task = taskOf({.layers = 8, .gpus = 8, .memory = 40_GiB}, {"megatron"});
    std::vector<std::string> fronts;
    for (const std::size_t top : std::vector<std::size_t>{1, 3, 9}) {
        const SearchOptions options{.top = top, .pareto = true, .distinct = true};
        std::string front;
        const auto report = findPlans(task, exampleTiming(), options);
        for (const Plan& plan : report.value().pareto) {
            front += std::to_string(plan.step.step.value.count()) + " " +
                     std::to_string(plan.memory.peak.value.count()) + "\n";
        }
        fronts.push_back(front);
    }
    EXPECT_GT(std::count(fronts[0].begin(), fronts[0].end(), '\n'), 2);
    EXPECT_EQ(fronts[1], fronts[0]);
    EXPECT_EQ(fronts[2], fronts[0]);
}

}  // namespace
}  // namespace fabricast
