#include "planner/search/batch_steps.h"
#include "planner/search/find_plans.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

using namespace literals;

std::string reasonOf(const SearchTask& task) {
    return reasonWithBatch(task, 0, "the first refusal", {}).value();
}

TEST(BatchReason, IsGivenWhereAnotherBatchWouldLeaveALayout) {
    const std::string blamed = "no layout that it takes has a dp that divides a global batch of ";
    EXPECT_EQ(reasonOf(taskOf({.batch = 1}, {"ddp"})), blamed + "1");
    EXPECT_EQ(reasonOf(taskOf({.batch = 12}, {"ddp"})), blamed + "12");
    EXPECT_EQ(reasonOf(taskOf({.batch = 8}, {"ddp"})), "the first refusal");
    SearchTask held = taskOf({.batch = 4}, {"deepspeed"});
    held.rules.fixed.layout.pp = 2;
    held.rules.fixed.layout.shard = Shard::Zero2;
    held.rules.fixed.said = {"pp", "shard"};
    EXPECT_EQ(reasonOf(held), "the first refusal") << "ZeRO-2 has no pipeline, whatever the batch";
}

TEST(BatchReason, IsWhatAPlanSaysOfAStackThatIsLeftOut) {
    SearchTask task = taskOf({.memory = 40_GiB, .batch = 4}, {"deepspeed"});
    task.rules.fixed.layout.shard = Shard::Zero2;
    task.rules.fixed.said = {"shard"};
    task.rules.forbidden = {readForbidden("tp").value(), readForbidden("cp").value()};
    const PlanReport none = findPlans(task, exampleTiming(), {}).value();
    ASSERT_EQ(none.rejections.size(), 1U);
    EXPECT_EQ(none.rejections[0].why,
              "no layout that it takes has a dp that divides a global batch of 4");
}

std::string firstRejection(const SearchTask& task) {
    const PlanReport none = findPlans(task, exampleTiming(), {}).value();
    return none.rejections.empty() ? "" : none.rejections[0].why;
}

/// A rule of the search itself is nobody's key, and the batch is what is wrong.
TEST(BatchReason, IsGivenWhateverTheSearchForbidsByItself) {
    SearchTask task = taskOf({.gpus = 3, .memory = 40_GiB, .batch = 16}, {"fsdp2"});
    task.rules.forbidden = {{"tp", "", false}, readForbidden("cp").value()};
    EXPECT_EQ(firstRejection(task),
              "no layout of 3 GPUs has a dp that divides a global batch of 16");
    EXPECT_EQ(otherBatch(task).value(), "a global batch of 15 or 18, or 2 of the 3 GPUs");
    task.base.workload.globalBatch = 18;
    EXPECT_EQ(otherBatch(task).value(), "");
}

TEST(BatchReason, WithoutANeutralValueIsWithAnother) {
    SearchTask task = taskOf({.memory = 40_GiB}, {"ddp"});
    task.rules.forbidden = {readForbidden("pp").value(), readForbidden("offload=none").value()};
    EXPECT_EQ(firstRejection(task),
              "no layout of 8 GPUs is left with offload other than none without pp");
}

}  // namespace
}  // namespace fabricast
