#include "planner/result/memory_breakdown.h"
#include "study/explain.h"
#include "study/plan.h"
#include "study/workbench.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

const Workbench& drivesBench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

using Said = std::vector<std::pair<std::string, std::string>>;

/// Llama 3.1 70B whose optimizer lies on drives, in a box of which no drives are known.
Question onDrives(const Said& said) {
    std::vector<Edit> edits = {{"model", "llama-3.1-70b", "-m"},
                               {"cluster.name", "8x-rtx-4090", "-c"},
                               {"cluster.host_memory", "2TB", "--host-memory"},
                               {"stack", "deepspeed", "--stack"},
                               {"layout.shard", "zero3", "--layout"},
                               {"layout.offload", "parameters_nvme", "--layout"},
                               {"layout.recompute", "full", "--layout"},
                               {"workload.sequence", "2048", "--seq"},
                               {"workload.global_batch", "8", "--global-batch"}};
    for (const auto& [key, value] : said) {
        edits.push_back({"cluster." + key, value, "--set"});
    }
    return with(readQuestion("", "").value(), edits).value();
}

MemoryBreakdown memoryOnDrives(const Said& said) {
    return *explain(onDrives(said), {}, drivesBench(), {}).value().memory;
}

double stepOnDrives(const Said& said) {
    return explain(onDrives(said), {.memory = false, .step = true}, drivesBench(), {})
        .value()
        .step->step.value.count();
}

TEST(Drives, WhatIsNotKnownMayBeEnoughAndTheTimeNamesTheFlag) {
    const MemoryBreakdown memory = memoryOnDrives({});
    EXPECT_GT(memory.drives.perNode, Bytes(1'000'000'000'000));
    EXPECT_TRUE(memory.drives.isUnknown());
    EXPECT_EQ(memory.verdict, Verdict::Likely);
    const auto timed = explain(onDrives({}), {.memory = false, .step = true}, drivesBench(), {});
    ASSERT_FALSE(timed);
    EXPECT_NE(timed.error().hint.find("--nvme"), std::string::npos) << timed.error().text();
}

TEST(Drives, ThatAreTooSmallAreAMisfitThatSaysHowMuchIsMissing) {
    const MemoryBreakdown memory = memoryOnDrives({{"nvme", "500GB"}});
    EXPECT_EQ(memory.verdict, Verdict::DoesNotFit);
    ASSERT_FALSE(memory.rejections.empty());
    const Rejection& rejection = memory.rejections.back();
    EXPECT_EQ(rejection.bound, Bound::NvmeSpace);
    EXPECT_EQ(rejection.over, memory.drives.perNode - Bytes(500'000'000'000));
    ASSERT_FALSE(memory.rejections.front().fixes.empty());
    EXPECT_EQ(memory.rejections.front().fixes.front().typed, "--nvme 2000GB");
    EXPECT_EQ(memory.rejections.front().fixes.front().verdict, Verdict::Fits);
    EXPECT_EQ(memoryOnDrives({{"nvme", "30TB"}}).verdict, Verdict::Fits);
    EXPECT_GT(stepOnDrives({{"nvme", "500GB"}}), 0.0);
}

TEST(Drives, AreAsFastAsIsSaid) {
    const double usual = stepOnDrives({{"nvme", "3.84TB"}});
    const double same =
        stepOnDrives({{"nvme", "3.84TB"}, {"nvme_read", "6.5GB/s"}, {"nvme_write", "3.5GB/s"}});
    const double slower =
        stepOnDrives({{"nvme", "3.84TB"}, {"nvme_read", "3.25GB/s"}, {"nvme_write", "1.75GB/s"}});
    EXPECT_NEAR(same / usual, 1.0, 1e-9);
    EXPECT_GT(slower, 1.3 * usual);
    // Rates alone are enough for the time.
    EXPECT_NEAR(
        stepOnDrives({{"nvme_read", "6.5GB/s"}, {"nvme_write", "3.5GB/s"}}) / usual, 1.0, 1e-9);
}

TEST(Drives, PlanListsNoLayoutThatTheyCannotHold) {
    const Said small = {{"nvme", "500GB"}};
    Question question = onDrives(small);
    const std::vector<Edit> open = {{"layout", "null", "--set"},
                                    {"layout.offload", "parameters_nvme", "--fix"}};
    question = with(question, open).value();
    const PlanReport report = plan(question, {}, drivesBench(), {}).value();
    EXPECT_TRUE(report.plans.empty());
    ASSERT_FALSE(report.misses.empty());
    EXPECT_EQ(report.misses.front().memory.drives.verdict(), Verdict::DoesNotFit);
}

}  // namespace
}  // namespace fabricast
