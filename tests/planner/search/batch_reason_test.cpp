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

}  // namespace
}  // namespace fabricast
