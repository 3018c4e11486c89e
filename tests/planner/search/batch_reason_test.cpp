#include "planner/search/batch_steps.h"
#include "planner/search/find_plans.h"
#include "planner/search/held_keys.h"
#include "tests/planner/search/search_example.h"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

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

struct Held {
    std::string why;
    Layout layout;
    std::set<std::string, std::less<>> said;
};

/// 8 GPUs, of which a node has as many; 4 layers, and a global batch of 8.
TEST(HeldKeys, SayWhichNumberDividesNothing) {
    const std::vector<Held> all = {
        {"tp 8 x pp 1 x cp 2 x dp 2 = 32, and not 8",
         {.dp = 2, .tp = 8, .pp = 1, .cp = 2},
         {"tp", "pp", "cp", "dp"}},
        {"tp 3 does not divide 8", {.tp = 3}, {"tp"}},
        {"tp 4 x dp 4 = 16 does not divide 8", {.dp = 4, .tp = 4}, {"tp", "dp"}},
        {"pp 8 is more than the model's 4 layers", {.pp = 8}, {"pp"}},
        {"micro_batch 4 x dp 4 = 16 does not divide a global batch of 8",
         {.dp = 4, .microBatch = 4},
         {"micro_batch", "dp"}}};
    for (const Held& held : all) {
        SearchTask task = taskOf({.memory = 40_GiB, .batch = 8}, {"megatron"});
        task.rules.fixed.layout = held.layout;
        task.rules.fixed.said = held.said;
        EXPECT_EQ(whyNotDivided(task.rules, task.base), held.why);
        EXPECT_TRUE(firstRejection(task).ends_with(": " + held.why)) << firstRejection(task);
    }
    SearchTask wide = taskOf({.gpus = 64, .memory = 40_GiB, .batch = 64}, {"megatron"});
    wide.rules.fixed.layout.tp = 16;
    wide.rules.fixed.said = {"tp"};
    EXPECT_EQ(whyNotDivided(wide.rules, wide.base),
              "tp 16 is more than the 8 GPUs that a node joins (--allow tp_across_nodes)");
    wide.rules.tensorAcrossNodes = true;
    EXPECT_EQ(whyNotDivided(wide.rules, wide.base), "");
}

TEST(HeldKeys, InTheWayAreThoseBehindTheFirstThatDivide) {
    SearchTask task = taskOf({.memory = 40_GiB, .batch = 8}, {"megatron"});
    task.rules.fixed.layout = {.dp = 2, .tp = 4, .pp = 2, .cp = 1};
    task.rules.fixed.said = {"cp", "dp", "pp", "tp"};
    using Keys = std::vector<std::string>;
    EXPECT_EQ(keysInTheWay(task, Keys{"tp", "cp", "dp", "pp"}).value(), Keys{"pp"});
    EXPECT_EQ(keysInTheWay(task, Keys{"pp", "dp", "cp", "tp"}).value(), Keys{"tp"});
    task.base.workload.globalBatch = 7;
    EXPECT_EQ(keysInTheWay(task, Keys{"tp", "dp"}).value(), Keys{"dp"});
}

}  // namespace
}  // namespace fabricast
