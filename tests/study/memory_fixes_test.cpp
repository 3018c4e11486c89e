#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"
#include "study/explain.h"
#include "study/fixes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace fabricast {
namespace memory_fixes_test {

const Workbench& bench() {
    static const Workbench opened = Workbench::open({}).value();
    return opened;
}

Question asked(const std::vector<Edit>& more) {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"stack", "torchtitan", "--stack"},
                                     {"workload.sequence", "1024", "--seq"},
                                     {"workload.global_batch", "4096", "--global-batch"}};
    return with(with(readQuestion("", "").value(), edits).value(), more).value();
}

MemoryBreakdown memoryOf(const Question& question) {
    return *explain(question, {}, bench(), {}).value().memory;
}

TEST(MemoryFixes, NothingIsSuggestedWhereItFits) {
    const MemoryBreakdown memory = memoryOf(asked({}));
    EXPECT_EQ(memory.verdict, Verdict::Fits);
    EXPECT_TRUE(memory.rejections.empty());
}

TEST(MemoryFixes, EveryFixCanBeApplied) {
    const Question question = asked({{"layout.micro_batch", "512", "--layout"}});
    const MemoryBreakdown memory = memoryOf(question);
    EXPECT_EQ(memory.verdict, Verdict::DoesNotFit);
    ASSERT_EQ(memory.rejections.size(), 1U);
    EXPECT_EQ(memory.rejections[0].over, memory.peak.value - memory.capacity);
    ASSERT_FALSE(memory.rejections[0].fixes.empty());
    for (const Fix& fix : memory.rejections[0].fixes) {
        EXPECT_LT(fix.peakAfter, memory.peak.value) << fix.change;
        EXPECT_EQ(fix.typed, typed(fix.edits));
        // The question has a --layout already, which may be typed once.
        EXPECT_EQ(fix.behind, typedBehind(question, fix.edits));
        EXPECT_EQ(fix.behind.find("--layout"), std::string::npos) << fix.behind;
        const Question changed = with(question, fix.edits).value();
        const Scenario scenario =
            loadScenario(changed.root, bench().profiles(), changed.folders).value().scenario;
        const MemoryBreakdown after = memoryOfAllStages(scenario).value();
        EXPECT_EQ(after.peak.value, fix.peakAfter) << fix.typed;
        EXPECT_EQ(after.verdict, fix.verdict) << fix.typed;
    }
}

// What is gathered and reduced at once as a whole is so layer by layer.
TEST(MemoryFixes, OneUnitMayBeDividedIntoLayers) {
    const MemoryBreakdown memory = memoryOf(asked({{"model", "llama-3.2-3b", "-m"},
                                                   {"stack", "fsdp2", "--stack"},
                                                   {"workload.global_batch", "8", "--global-batch"},
                                                   {"settings.torch.one_unit", "true", "--set"}}));
    EXPECT_EQ(memory.verdict, Verdict::Unlikely);
    ASSERT_EQ(memory.rejections.size(), 1U);
    EXPECT_TRUE(std::ranges::any_of(memory.rejections[0].fixes, [](const Fix& fix) {
        return fix.typed.find("--set settings.torch.one_unit=false") != std::string::npos;
    }));
}

TEST(MemoryFixes, TheScalesOfFourBitsMayBeQuantisedToo) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-70b", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"stack", "fsdp2", "--stack"},
                                     {"workload.sequence", "4096", "--seq"},
                                     {"settings.tuning", "qlora", "--tuning"},
                                     {"layout.recompute", "full", "--layout"}};
    const MemoryBreakdown memory = memoryOf(with(readQuestion("", "").value(), edits).value());
    ASSERT_FALSE(memory.rejections.empty());
    const std::vector<Fix>& fixes = memory.rejections[0].fixes;
    const auto offered = std::ranges::find_if(fixes, [](const Fix& fix) {
        return fix.change == "settings.lora.double_quantization=true";
    });
    ASSERT_NE(offered, fixes.end());
    EXPECT_NE(offered->verdict, Verdict::DoesNotFit);
}

// Where nothing that trains all weights in fp32 is enough; behind what is, as they train otherwise.
TEST(MemoryFixes, AnotherTrainingIsOfferedWhereNothingElseIsEnough) {
    const std::vector<Edit> edits = {{"model", "qwen2.5-1.5b", "-m"},
                                     {"cluster.gpu", "rtx-4060-ti-16gb", "--gpu"},
                                     {"cluster.gpus", "1", "--gpus"},
                                     {"stack", "accelerate", "--stack"},
                                     {"workload.sequence", "2048", "--seq"},
                                     {"workload.optimizer", "adamw_8bit", "--optimizer"}};
    const Question alone = with(readQuestion("", "").value(), edits).value();
    const MemoryBreakdown memory = memoryOf(alone);
    ASSERT_FALSE(memory.rejections.empty());
    const std::vector<Fix>& fixes = memory.rejections[0].fixes;
    ASSERT_GE(fixes.size(), 3U);
    EXPECT_TRUE(fixes[0].typed.starts_with("--precision pure_bf16")) << fixes[0].typed;
    EXPECT_NE(fixes[0].sideEffect.find("no fp32 copy of the weights: less exact"),
              std::string::npos);
    EXPECT_EQ(fixes[1].typed, "--tuning lora");
    EXPECT_EQ(fixes[2].typed, "--tuning qlora");
    for (std::size_t i = 0; i < 3; ++i) {
        const Question changed = with(alone, fixes[i].edits).value();
        EXPECT_EQ(memoryOf(changed).verdict, Verdict::Fits) << fixes[i].typed;
    }
    const Question frozen = with(alone, {{{"settings.train", "last:20", "--train"}}}).value();
    const MemoryBreakdown ofPart = memoryOf(frozen);
    EXPECT_NE(ofPart.verdict, Verdict::Fits);
    for (const Rejection& rejection : ofPart.rejections) {
        for (const Fix& fix : rejection.fixes) {
            EXPECT_EQ(fix.typed.find("--tuning"), std::string::npos) << fix.typed;
        }
    }
    const Question larger = with(alone, {{{"cluster.gpu", "rtx-4090", "--gpu"}}}).value();
    for (const Rejection& rejection : memoryOf(larger).rejections) {
        for (const Fix& fix : rejection.fixes) {
            EXPECT_EQ(fix.typed.find("--tuning"), std::string::npos) << fix.typed;
        }
    }
}

// Before more hardware, and before an optimizer that runs on the CPUs.
TEST(MemoryFixes, ExpertsAreSpreadOverTheRanksThatHoldCopiesOfThem) {
    const std::vector<Edit> edits = {{"model", "qwen3-30b-a3b", "-m"},
                                     {"cluster.name", "dgx-h100", "-c"},
                                     {"cluster.nodes", "2", "-n"},
                                     {"stack", "megatron", "--stack"},
                                     {"workload.sequence", "2048", "--seq"},
                                     {"workload.global_batch", "64", "--global-batch"}};
    const MemoryBreakdown memory = memoryOf(with(readQuestion("", "").value(), edits).value());
    ASSERT_FALSE(memory.rejections.empty());
    const std::vector<Fix>& fixes = memory.rejections[0].fixes;
    ASSERT_FALSE(fixes.empty());
    EXPECT_EQ(fixes[0].typed, "--layout ep=16");
    EXPECT_EQ(fixes[0].verdict, Verdict::Fits);
    ASSERT_GT(fixes.size(), 1U);
    EXPECT_EQ(fixes[1].typed, "--layout ep=8");
}

TEST(MemoryFixes, WhatMayFitIsNotSaidToFit) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"stack", "fsdp2", "--stack"}};
    const Question question = with(readQuestion("", "").value(), edits).value();
    const MemoryBreakdown memory = memoryOf(question);
    const auto& fixes = memory.rejections.at(0).fixes;
    const auto full = std::ranges::find(fixes, "recompute=full", &Fix::change);
    ASSERT_NE(full, fixes.end());
    EXPECT_LT(full->peakAfter, memory.capacity);
    EXPECT_EQ(full->verdict, Verdict::Likely);
}

TEST(MemoryFixes, OffloadsOfEachStackAreTried) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.name", "4x-rtx-4090", "-c"},
                                     {"cluster.host_memory", "512GB", "--host-memory"},
                                     {"stack", "fsdp2", "--stack"},
                                     {"workload.sequence", "512", "--seq"}};
    const MemoryBreakdown memory = memoryOf(with(readQuestion("", "").value(), edits).value());
    ASSERT_EQ(memory.verdict, Verdict::DoesNotFit);
    const auto& fixes = memory.rejections.at(0).fixes;
    const auto offload = std::ranges::find(fixes, "offload=parameters_cpu", &Fix::change);
    ASSERT_NE(offload, fixes.end());
    EXPECT_EQ(offload->verdict, Verdict::Fits);
}

TEST(MemoryFixes, OnlyWhatTheStackTakesIsSuggested) {
    // DDP has no tensor parallelism.
    const Question question =
        asked({{"layout.micro_batch", "512", "--layout"}, {"stack", "ddp", "--stack"}});
    const MemoryBreakdown memory = memoryOf(question);
    for (const Fix& fix : memory.rejections.at(0).fixes) {
        EXPECT_EQ(fix.change.find("tp="), std::string::npos) << fix.change;
    }
}

// Where the allocator alone is unsure, more memory of the hosts, which have enough, mends nothing.
TEST(MemoryFixes, NothingIsBoughtThatNobodyLacks) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-70b", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"cluster.host_memory", "2TB", "--host-memory"},
                                     {"stack", "deepspeed", "--stack"},
                                     {"workload.sequence", "4096", "--seq"},
                                     {"layout.shard", "zero3", "--layout"},
                                     {"layout.offload", "parameters_cpu", "--layout"},
                                     {"layout.recompute", "full", "--layout"}};
    const MemoryBreakdown memory = memoryOf(with(readQuestion("", "").value(), edits).value());
    ASSERT_EQ(memory.verdict, Verdict::Likely);
    ASSERT_FALSE(memory.rejections.empty());
    EXPECT_FALSE(memory.rejections[0].fixes.empty());
    for (const Fix& fix : memory.rejections[0].fixes) {
        EXPECT_EQ(fix.typed.find("host"), std::string::npos) << fix.typed;
    }
}

}  // namespace memory_fixes_test
}  // namespace fabricast
