#include "study/held_plan.h"

#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

using namespace literals;

SearchTask heldTask(std::int64_t gpus, Bytes memory = 80_GiB) {
    return taskOf({.gpus = gpus, .memory = memory, .batch = 64}, {"megatron"});
}

Plan bestHere(const SearchTask& task) {
    return findPlans(task, exampleTiming(), {.top = 1}).value().plans.front();
}

std::optional<Plan> held(const Plan& now, const SearchTask& task) {
    return heldPlan(now, task, exampleTiming(), {}).value().plan;
}

TEST(HeldPlan, OfTheSameQuestionIsThePlan) {
    const SearchTask task = heldTask(8);
    const Plan now = bestHere(task);
    const std::optional<Plan> same = held(now, task);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->scenario.layout, now.scenario.layout);
    EXPECT_DOUBLE_EQ(same->step.step.value.count(), now.step.step.value.count());
    EXPECT_EQ(same->memory.peak.value, now.memory.peak.value);
}

TEST(HeldPlan, HasMoreCopiesOnMoreGpusAndAsManyTokensInAMicroBatch) {
    const Plan now = bestHere(heldTask(8));
    SearchTask more = heldTask(16);
    const std::optional<Plan> twice = held(now, more);
    ASSERT_TRUE(twice);
    EXPECT_EQ(twice->scenario.layout.dp, 2 * now.scenario.layout.dp);
    EXPECT_EQ(twice->scenario.layout.world(), 16);
    Plan large = now;
    large.scenario.layout.microBatch = 4;
    more.base.workload = {.sequence = 4096, .globalBatch = 64};
    const std::optional<Plan> longer = held(large, more);
    ASSERT_TRUE(longer);
    EXPECT_EQ(longer->scenario.layout.microBatch, 1);
}

TEST(HeldPlan, IsNoneWhereItDoesNotFitOrIsRuledOut) {
    SearchTask task = heldTask(8);
    const Plan now = bestHere(task);
    EXPECT_FALSE(held(now, heldTask(8, 1_GiB)));
    task.rules.forbidden = {{"dp", std::to_string(now.scenario.layout.dp)}};
    EXPECT_FALSE(held(now, task));
    task.rules.forbidden.clear();
    task.stacks = taskOf({}, {"fsdp2"}).stacks;
    EXPECT_FALSE(held(now, task));
}

/// A search that ended by itself knows better; one that was cut short may not.
TEST(HeldPlan, ComesFirstOnlyWhereASearchWasCutShort) {
    const SearchTask task = heldTask(8);
    const Plan now = bestHere(task);
    const SearchOptions rule{.top = 1};
    PlanReport report;
    EXPECT_TRUE(withHeld(report, now, rule).plans.empty());
    report.cutShort = "others may fit";
    EXPECT_EQ(withHeld(report, now, rule).plans.size(), 1U);
    Plan slower = now;
    slower.step.step.value = now.step.step.value * 2.0;
    report.plans = {slower};
    EXPECT_EQ(withHeld(report, now, rule).plans.front().step.step.value, now.step.step.value);
    report.plans = {now};
    EXPECT_EQ(withHeld(report, slower, rule).plans.front().step.step.value, now.step.step.value);
    slower.memory.verdict = Verdict::Fits;
    report.plans.front().memory.verdict = Verdict::Likely;
    EXPECT_EQ(withHeld(report, slower, rule).plans.front().step.step.value, slower.step.step.value);
}

}  // namespace
}  // namespace fabricast
