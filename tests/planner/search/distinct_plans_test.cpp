#include "planner/search/distinct_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

struct Made {
    double seconds = 1.0;
    std::int64_t gib = 40;
    Verdict verdict = Verdict::Fits;
    Layout layout{};
    std::int64_t hostGib = 0;  ///< of nodes whose memory is not known
    std::string stack = "megatron";
};

Plan planOf(const Made& made) {
    Plan plan;
    plan.scenario.stack = made.stack;
    plan.scenario.layout = made.layout;
    plan.step.step.value = Seconds(made.seconds);
    plan.memory.peak.value = Bytes(made.gib << 30);
    plan.memory.onDevice = made.verdict;
    plan.memory.host.perNode = Bytes(made.hostGib << 30);
    plan.memory.verdict = std::max(made.verdict, plan.memory.host.verdict());
    return plan;
}

std::vector<Plan> bestOf(const std::vector<Made>& found,
                         std::size_t top,
                         DistinctPlans::Rules rules = {}) {
    DistinctPlans plans(rules);
    for (const Made& made : found) {
        plans.add(planOf(made));
    }
    return std::move(plans).best(top);
}

TEST(DistinctPlans, SpellingsOfOneLayoutAreOneRow) {
    const std::vector<Plan> rows =
        bestOf({{.seconds = 1.000, .layout = {.tp = 8, .cp = 2, .cpKind = CpKind::AllGather}},
                {.seconds = 1.002, .layout = {.tp = 8, .cp = 2}},
                {.seconds = 1.003, .layout = {.tp = 4, .cp = 2}},
                {.seconds = 1.004, .layout = {.tp = 8, .cp = 2, .shard = Shard::Zero1}}},
               5);
    ASSERT_EQ(rows.size(), 2U);
    EXPECT_EQ(rows[0].scenario.layout.cpKind, CpKind::Ring);
    EXPECT_EQ(rows[0].scenario.layout.shard, Shard::None);
    EXPECT_EQ(rows[0].alike.size(), 2U);
    EXPECT_EQ(rows[1].scenario.layout.tp, 4);
    EXPECT_TRUE(rows[1].alike.empty());
}

TEST(DistinctPlans, WhatNeedsMemoryThatIsNotKnownComesBehindWhatSurelyFits) {
    const std::vector<Made> found = {{.seconds = 1.0, .layout = {.tp = 2}, .hostGib = 500},
                                     {.seconds = 2.0, .layout = {.tp = 4}},
                                     {.seconds = 0.9, .verdict = Verdict::Likely}};
    const std::vector<Plan> rows = bestOf(found, 3);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].step.step.value, Seconds(2.0));
    EXPECT_EQ(rows[1].step.step.value, Seconds(1.0));
    EXPECT_EQ(rows[2].step.step.value, Seconds(0.9));
    DistinctPlans plans({});
    plans.add(planOf(found[0]));
    EXPECT_FALSE(plans.settledBeyond(1).has_value());  // one that surely fits may come
    plans.add(planOf(found[1]));
    EXPECT_NEAR(plans.settledBeyond(1).value_or(0.0), 2.0, 0.02);
}

// Where every layout leaves something to memory that nobody knows, none will be surer.
TEST(DistinctPlans, WhatNeedsMemoryThatIsNotKnownIsEnoughWhereAllDoes) {
    DistinctPlans plans({.allOnHost = true});
    plans.add(planOf({.seconds = 1.0, .layout = {.tp = 2}, .hostGib = 500}));
    EXPECT_NEAR(plans.settledBeyond(1).value_or(0.0), 1.0, 0.02);
}

TEST(DistinctPlans, StacksThatRunALayoutAlikeAreOneRow) {
    const std::vector<Made> found = {
        {.seconds = 1.000, .stack = "fsdp2"},
        {.seconds = 1.001, .layout = {.shard = Shard::Zero1}, .stack = "fsdp2"},
        {.seconds = 1.000, .stack = "axolotl"},
        {.seconds = 1.100, .stack = "ddp"},
        {.seconds = 1.000, .gib = 50, .stack = "deepspeed"}};
    const std::vector<Plan> rows = bestOf(found, 5);
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[0].scenario.stack, "fsdp2");
    ASSERT_EQ(rows[0].alike.size(), 2U);
    EXPECT_EQ(rows[0].alike[1].scenario.stack, "axolotl");
    EXPECT_EQ(rows[1].scenario.stack, "deepspeed");
    DistinctPlans plans({});
    for (const Made& made : found) {
        plans.add(planOf(made));
    }
    EXPECT_TRUE(plans.settledBeyond(3).has_value());
    EXPECT_FALSE(plans.settledBeyond(4).has_value());
}

TEST(DistinctPlans, ShowsTheSameRowsWhileMoreAreLookedFor) {
    DistinctPlans plans({});
    for (const Made& made :
         {Made{.seconds = 1.2, .verdict = Verdict::Likely},
          Made{.seconds = 1.5, .layout = {.tp = 2}, .stack = "fsdp2"},
          Made{.seconds = 1.0, .layout = {.tp = 8}},
          Made{.seconds = 1.001, .gib = 20, .layout = {.tp = 8, .cpKind = CpKind::AllGather}},
          Made{.seconds = 1.5, .layout = {.tp = 2}, .stack = "ddp"},
          Made{.seconds = 0.5, .layout = {.tp = 4}, .hostGib = 500}}) {
        plans.add(planOf(made));
    }
    for (std::size_t top = 0; top < 6; ++top) {
        const std::vector<Plan> soFar = plans.soFar(top);
        const std::vector<Plan> best = DistinctPlans(plans).best(top);
        ASSERT_EQ(soFar.size(), best.size());
        for (std::size_t row = 0; row < best.size(); ++row) {
            EXPECT_EQ(soFar[row].step.step.value, best[row].step.step.value) << row;
            EXPECT_EQ(soFar[row].scenario.stack, best[row].scenario.stack) << row;
            EXPECT_TRUE(soFar[row].alike.empty());
        }
    }
    EXPECT_EQ(DistinctPlans(plans).best(6).size(), 4U);  // two are twins, two one row
}

TEST(DistinctPlans, NamesTheBestOfNodesThatNobodyKnows) {
    DistinctPlans plans({});
    plans.add(planOf({.seconds = 2.0}));
    EXPECT_EQ(plans.hostUnknown(), nullptr);
    plans.add(planOf({.seconds = 1.0, .layout = {.tp = 2}, .hostGib = 500}));
    plans.add(planOf({.seconds = 1.5, .layout = {.tp = 4}, .hostGib = 500}));
    ASSERT_NE(plans.hostUnknown(), nullptr);
    EXPECT_EQ(plans.hostUnknown()->step.step.value, Seconds(1.0));
}

TEST(DistinctPlans, SlowerSpellingsAreLeftOut) {
    EXPECT_EQ(bestOf({{.seconds = 1.0}, {.seconds = 1.0049}}, 5).front().alike.size(), 1U);
    EXPECT_TRUE(bestOf({{.seconds = 1.0}, {.seconds = 1.0051}}, 5).front().alike.empty());
    // Not of a plan that only may fit: the slower one is what can be trusted.
    const std::vector<Plan> rows =
        bestOf({{.seconds = 1.0, .verdict = Verdict::Likely}, {.seconds = 1.2}}, 5);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().step.step.value, Seconds(1.2));
    EXPECT_EQ(rows.front().alike.size(), 1U);
}

TEST(DistinctPlans, SlowerOnesThatMayFitAreLeftOutToo) {
    const std::vector<Plan> rows =
        bestOf({{.seconds = 1.000, .verdict = Verdict::Likely},
                {.seconds = 1.004, .verdict = Verdict::Likely, .layout = {.microBatch = 2}},
                {.seconds = 1.300, .verdict = Verdict::Likely, .layout = {.microBatch = 4}}},
               5);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].alike.size(), 1U);
}

TEST(DistinctPlans, KnowsBeforehandWhatItLeavesOut) {
    DistinctPlans plans({});
    const Plan plan = planOf({.seconds = 1.0});
    EXPECT_FALSE(plans.leavesOut(plan.scenario, 2.0));
    plans.add(plan);
    EXPECT_TRUE(plans.leavesOut(plan.scenario, 1.1));
    EXPECT_FALSE(plans.leavesOut(plan.scenario, 1.004));
    EXPECT_FALSE(plans.leavesOut(planOf({.layout = {.tp = 4}}).scenario, 2.0));
}

TEST(DistinctPlans, TheSurestOfThoseThatMayFitIsShown) {
    const std::vector<Plan> rows = bestOf({{.seconds = 1.0, .verdict = Verdict::Unlikely},
                                           {.seconds = 1.1, .verdict = Verdict::Likely},
                                           {.seconds = 1.2, .verdict = Verdict::Likely}},
                                          5);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows.front().step.step.value, Seconds(1.1));
}

TEST(DistinctPlans, WhatFitsComesFirst) {
    const std::vector<Made> found = {
        {.seconds = 1.0, .gib = 79, .verdict = Verdict::Likely, .layout = {.tp = 2}},
        {.seconds = 1.1, .gib = 60, .layout = {.tp = 4}}};
    EXPECT_EQ(bestOf(found, 2).front().scenario.layout.tp, 4);
    EXPECT_EQ(bestOf(found, 2, {.tight = true}).front().scenario.layout.tp, 2);
    EXPECT_EQ(bestOf(found, 1).front().scenario.layout.tp, 4);
}

TEST(DistinctPlans, ASaferSpellingStandsForItsGroup) {
    const std::vector<Plan> rows =
        bestOf({{.seconds = 1.0, .gib = 79, .verdict = Verdict::Likely},
                {.seconds = 1.001, .gib = 50, .layout = {.shard = Shard::Zero1}}},
               5);
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].memory.verdict, Verdict::Fits);
    ASSERT_EQ(rows[0].alike.size(), 1U);
    EXPECT_EQ(rows[0].alike[0].memory.verdict, Verdict::Likely);
}

TEST(DistinctPlans, OfTheLeastMemoryThePeaksTellApart) {
    const std::vector<Made> found = {{.seconds = 1.0, .gib = 40},
                                     {.seconds = 1.0, .gib = 50, .layout = {.vpp = 2}}};
    EXPECT_EQ(bestOf(found, 5).front().alike.size(), 1U);
    EXPECT_TRUE(bestOf(found, 5, {.objective = PlanObjective::Memory}).front().alike.empty());
}

TEST(DistinctPlans, OnlyWhatFitsCountsAsARow) {
    DistinctPlans plans({});
    plans.add(planOf({.verdict = Verdict::Likely}));
    EXPECT_EQ(plans.rows(), 0U);
    plans.add(planOf({.seconds = 2.0}));
    EXPECT_EQ(plans.rows(), 1U);
    plans.add(planOf({.seconds = 3.0, .layout = {.tp = 2}}));
    EXPECT_EQ(plans.rows(), 2U);
}

}  // namespace
}  // namespace fabricast
