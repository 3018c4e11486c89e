#include "planner/estimate/data_parallel_time.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

double tailOf(std::int64_t nodes, bool slices, const std::string& stack = "megatron") {
    const Layout layout{.dp = 2 * nodes, .tp = 4, .sp = true, .shard = Shard::Zero1};
    Scenario scenario = exampleRun(stack, layout);
    scenario.workload.globalBatch = 2 * layout.dp;
    scenario.settings.megatron.gatherSlices = slices;
    return estimated(scenario).parts.of(TimePart::Shard);
}

double added(std::int64_t nodes) {
    return tailOf(nodes, true) - tailOf(nodes, false);
}

TEST(GatherCopies, TakeALaunchForEverySlice) {
    // On two ranks: two GB to a rank, moved six times over at some 2.5 TB/s, and 390 slices.
    EXPECT_NEAR(added(1), 0.012, 0.006);
    // Of 195 weights there are then 32 slices each, 4 us or more to a copy.
    EXPECT_GT(added(16), 0.024);
}

// The host issues the copies while the GPU reduces gradients; only what it is behind counts.
TEST(GatherCopies, WaitForTheHostWhereThereAreMany) {
    const double few = added(16);
    const double many = added(256);  // 100,000 slices of 7 us
    EXPECT_GT(many, few);
    EXPECT_GT(many, 0.38);
    EXPECT_LT(many, 0.70);
}

TEST(GatherCopies, AreMegatronsAlone) {
    EXPECT_EQ(tailOf(4, true, "fsdp2"), tailOf(4, false, "fsdp2"));
}

}  // namespace
}  // namespace fabricast
