#include "planner/memory/stage_memory.h"
#include "study/advise.h"
#include "study/explain.h"
#include "study/plan.h"
#include "study/workbench.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

const Workbench& bench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

/// Llama 3.1 70B offloaded to the host: 18 bytes a parameter, 1.28 TiB.
Question offloaded(const std::string& cluster, const std::string& hostMemory) {
    std::vector<Edit> edits = {{"model", "llama-3.1-70b", "-m"},
                               {"cluster.name", cluster, "-c"},
                               {"stack", "deepspeed", "--stack"},
                               {"layout.shard", "zero3", "--layout"},
                               {"layout.offload", "parameters_cpu", "--layout"},
                               {"layout.recompute", "full", "--layout"},
                               {"workload.sequence", "2048", "--seq"},
                               {"workload.global_batch", "8", "--global-batch"}};
    if (!hostMemory.empty()) {
        edits.push_back({"cluster.host_memory", hostMemory, "--host-memory"});
    }
    return with(readQuestion("", "").value(), edits).value();
}

MemoryBreakdown memoryOf(const Question& question) {
    return *explain(question, {}, bench(), {}).value().memory;
}

TEST(HostMemory, WhatIsNotKnownIsNotSaidToBeEnough) {
    const MemoryBreakdown memory = memoryOf(offloaded("8x-rtx-4090", ""));
    EXPECT_EQ(memory.onDevice, Verdict::Fits);
    EXPECT_TRUE(memory.host.isUnknown());
    EXPECT_EQ(memory.verdict, Verdict::Likely);
    ASSERT_EQ(memory.rejections.size(), 1U);
    EXPECT_EQ(memory.rejections[0].bound, Bound::HostMemory);
    EXPECT_EQ(memory.rejections[0].over, Bytes());
    EXPECT_NEAR(memory.host.perNode / Bytes(18 * 70'553'706'496), 1.0, 0.15);
}

TEST(HostMemory, StatingItDecides) {
    EXPECT_EQ(memoryOf(offloaded("8x-rtx-4090", "2TB")).verdict, Verdict::Fits);
    const MemoryBreakdown small = memoryOf(offloaded("8x-rtx-4090", "256GB"));
    EXPECT_EQ(small.verdict, Verdict::DoesNotFit);
    ASSERT_EQ(small.rejections.size(), 1U);
    EXPECT_EQ(small.rejections[0].over, small.host.perNode - Bytes(256'000'000'000));
}

/// The profile of this box states 192 GB.
TEST(HostMemory, ABoxThatIsTooSmallDoesNotFitAndNothingInExplainSaysOtherwise) {
    const Question question = offloaded("8x-rtx-5090", "");
    const MemoryBreakdown memory = memoryOf(question);
    EXPECT_EQ(memory.onDevice, Verdict::Fits);
    EXPECT_EQ(memory.verdict, Verdict::DoesNotFit);
    ASSERT_EQ(memory.rejections.size(), 1U);
    for (const Fix& fix : memory.rejections[0].fixes) {
        const MemoryBreakdown after = memoryOf(with(question, fix.edits).value());
        EXPECT_EQ(after.verdict, fix.verdict) << fix.typed;
        EXPECT_EQ(after.host.perNode, fix.hostAfter) << fix.typed;
        EXPECT_EQ(after.ofNode().isUnknown(), !fix.needs.empty()) << fix.typed;
        EXPECT_EQ(after.onDevice, fix.onDevice) << fix.typed;
    }
}

/// Enough nodes hold the states; the fix says so, by explain's own numbers.
TEST(HostMemory, MoreNodesAreAFix) {
    const std::vector<Edit> more = {{"cluster.host_memory", "800GB", "--host-memory"},
                                    {"workload.global_batch", "64", "--global-batch"}};
    const Question question = with(offloaded("dgx-h100", ""), more).value();
    const MemoryBreakdown memory = memoryOf(question);
    ASSERT_EQ(memory.verdict, Verdict::DoesNotFit);
    ASSERT_FALSE(memory.rejections.empty());
    ASSERT_FALSE(memory.rejections[0].fixes.empty());
    EXPECT_EQ(memory.rejections[0].fixes[0].verdict, Verdict::Fits)
        << memory.rejections[0].fixes[0].change;
}

TEST(HostMemory, PlanAndAdviseAgreeWithExplain) {
    for (const std::string there : {"", "2TB", "256GB"}) {
        Question question = offloaded("8x-rtx-4090", there);
        std::vector<Edit> open = {{"layout", "null", "--set"}, {"stack", "null", "--set"}};
        question = with(question, open).value();
        const PlanReport report = plan(question, {}, bench(), {}).value();
        for (const Plan& found : report.plans) {
            EXPECT_EQ(memoryOfAllStages(found.scenario)->verdict, found.memory.verdict);
            EXPECT_TRUE(there == "256GB" ? found.memory.host.perNode <= Bytes(256'000'000'000)
                                         : found.memory.host.perNode > Bytes());
        }
        const Advice advice = advise(question, {}, bench(), {}).value();
        if (there.empty()) {
            ASSERT_TRUE(advice.recommended);
            EXPECT_EQ(advice.steps[*advice.recommended].answer, AdviceAnswer::Perhaps);
            EXPECT_NE(advice.steps[*advice.recommended].why.find("host memory"), std::string::npos);
        }
    }
}

}  // namespace
}  // namespace fabricast
