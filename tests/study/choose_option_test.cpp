#include "study/option_search.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

void judge(Plan& plan, Verdict verdict) {
    plan.memory.onDevice = verdict;
    plan.memory.verdict = verdict;
}

AdviceStep step(const std::string& key, double seconds, Verdict verdict) {
    AdviceStep made{.key = key, .answer = AdviceAnswer::No, .plan = Plan{}, .timed = true};
    made.plan->step.step = {Seconds(seconds), Seconds(seconds), Seconds(seconds), {}};
    judge(*made.plan, verdict);
    return made;
}

AdviceStep costing(AdviceStep made, double dollars) {
    made.plan->cost = RunCost{};
    made.plan->cost->run = RunTotals{};
    made.plan->cost->run->price = Headline<Usd>{Usd(dollars), Usd(dollars), Usd(dollars), {}};
    return made;
}

std::string chosen(std::vector<AdviceStep>& steps, std::optional<Usd> most = {}) {
    const auto index = chooseOption(steps, most);
    return index ? steps[*index].key : "";
}

TEST(ChooseStep, TakesTheSimplestThatNobodyCanTellFromTheFastest) {
    // Without a profile 8 % is the error of a comparison: 1.07 is as good as 1.0, 1.09 is not.
    std::vector<AdviceStep> steps = {step("ddp", 1.09, Verdict::Fits),
                                     step("fsdp2", 1.07, Verdict::Fits),
                                     step("megatron", 1.0, Verdict::Fits)};
    EXPECT_EQ(chosen(steps), "fsdp2");
    EXPECT_EQ(steps[1].answer, AdviceAnswer::Yes);
    EXPECT_EQ(steps[0].answer, AdviceAnswer::No);
    EXPECT_NE(steps[2].why.find("within the error of a comparison"), std::string::npos);
}

TEST(ChooseStep, NeedsHostMemoryThatIsNotKnownOnlyWhereNothingElseTrainsTheSame) {
    std::vector<AdviceStep> steps = {step("ddp", 2.0, Verdict::Fits),
                                     step("offload", 1.0, Verdict::Fits)};
    steps[1].plan->memory.host.perNode = Bytes(std::int64_t{1} << 40);
    steps[1].plan->memory.verdict = Verdict::Likely;
    EXPECT_EQ(chosen(steps), "ddp");
    EXPECT_EQ(steps[1].why,
              "needs 1 TiB of host memory per node, which is not known, but 2.0 times as fast as "
              "ddp");
    steps[0].set = "settings.tuning=lora";
    EXPECT_EQ(chosen(steps), "ddp");
    std::swap(steps[0], steps[1]);  // full training stands before adapters
    EXPECT_EQ(chosen(steps), "offload");
}

TEST(ChooseStep, TakesWhatFitsAsSurelyAsIsWantedBeforeWhatTrainsMore) {
    std::vector<AdviceStep> steps = {step("offload", 2.0, Verdict::Fits),
                                     step("qlora", 1.0, Verdict::Fits)};
    steps[0].plan->memory.host.perNode = Bytes(std::int64_t{1} << 40);
    steps[0].plan->memory.verdict = Verdict::Likely;
    steps[1].set = "settings.tuning=lora";
    EXPECT_EQ(chosen(steps), "offload");
    EXPECT_EQ(chooseOption(steps, {}, Verdict::Fits), 1U);
    judge(*steps[1].plan, Verdict::Likely);
    EXPECT_EQ(chooseOption(steps, {}, Verdict::Fits), std::nullopt);
}

// Fewer bits of the base are simpler than states on the host, if they likely fit.
TEST(ChooseStep, TakesAdaptersThatNeedNoHostBeforeThoseThatDo) {
    std::vector<AdviceStep> steps = {step("lora", 1.0, Verdict::Fits),
                                     step("qlora", 1.1, Verdict::Likely)};
    steps[0].set = "settings.tuning=lora";
    steps[1].set = "settings.tuning=lora --set settings.lora.base=nf4";
    EXPECT_EQ(chosen(steps), "lora");
    steps[0].plan->scenario.layout.offload = Offload::ParametersCpu;
    EXPECT_EQ(chosen(steps), "qlora");
    EXPECT_TRUE(steps[0].why.ends_with(", with states on the host")) << steps[0].why;
    judge(*steps[1].plan, Verdict::Unlikely);
    EXPECT_EQ(chosen(steps), "lora");
}

TEST(ChooseStep, TakesTheErrorOfTheTwoLayouts) {
    std::vector<AdviceStep> steps = {step("fsdp2", 1.07, Verdict::Fits),
                                     step("hsdp", 1.0, Verdict::Fits)};
    for (AdviceStep& one : steps) {
        one.plan->step.comparison = {.sameSplit = {.error = 0.056}, .otherSplit = {.error = 0.096}};
    }
    EXPECT_EQ(chosen(steps), "hsdp");
    EXPECT_NE(steps[0].why.find("but hsdp is 7 % faster"), std::string::npos) << steps[0].why;
    steps[1].plan->scenario.layout.tp = 2;
    EXPECT_EQ(chosen(steps), "fsdp2");
    // Close to the fastest, which has another split, but beaten by one with the same.
    steps.push_back(step("ddp", 1.0, Verdict::Fits));
    steps[2].plan->step.comparison = steps[0].plan->step.comparison;
    EXPECT_EQ(chosen(steps), "hsdp");
}

// A simpler one that is as good as the recommended one, and not as the fastest, is not called the
// less simple.
TEST(ChooseStep, MeasuresASimplerOneByTheFastest) {
    std::vector<AdviceStep> steps = {step("ddp", 1.10, Verdict::Fits),
                                     step("fsdp2", 1.07, Verdict::Fits),
                                     step("megatron", 1.0, Verdict::Fits)};
    EXPECT_EQ(chosen(steps), "fsdp2");
    EXPECT_EQ(steps[0].why, "simpler, but megatron is 10 % faster");
}

// Which of two is simpler is their order in the table, whatever else there is and however sure it
// is that they fit.
TEST(ChooseStep, NeverCallsTheLaterOfTwoTheSimplerOne) {
    for (const Verdict first : {Verdict::Fits, Verdict::Likely, Verdict::Unlikely}) {
        for (const double third : {0.9, 0.97, 1.0, 1.5}) {
            std::vector<AdviceStep> steps = {step("fsdp2", 1.05, first),
                                             step("megatron", 1.0, Verdict::Fits),
                                             step("context", third, Verdict::Fits)};
            chosen(steps);
            EXPECT_EQ(steps[0].why.find("which is simpler"), std::string::npos) << steps[0].why;
        }
    }
    std::vector<AdviceStep> steps = {step("fsdp2", 1.05, Verdict::Likely),
                                     step("megatron", 1.0, Verdict::Fits)};
    EXPECT_EQ(chosen(steps), "megatron");
    EXPECT_EQ(steps[0].why, "simpler, but only likely fits");
}

// What keeps a simpler one back is not its speed where it is the faster one.
TEST(ChooseStep, NamesTheHostMemoryThatASimplerOneNeeds) {
    std::vector<AdviceStep> steps = {step("fsdp2", 0.99, Verdict::Likely),
                                     step("offload", 1.0, Verdict::Likely)};
    steps[0].plan->memory.host.perNode = Bytes(std::int64_t{1} << 40);
    EXPECT_EQ(chosen(steps), "offload");
    EXPECT_TRUE(steps[0].why.starts_with("simpler, but needs 1 TiB of host memory per node"))
        << steps[0].why;
}

TEST(ChooseStep, CountsNoPercentThatRoundsToNone) {
    std::vector<AdviceStep> steps = {step("torchtitan", 1.0, Verdict::Fits),
                                     step("megatron", 0.998, Verdict::Fits)};
    EXPECT_EQ(chosen(steps), "torchtitan");
    EXPECT_EQ(steps[1].why, "no faster than torchtitan, which is simpler");
}

TEST(ChooseStep, SaysBothReasonsAgainstWhatIsSlowerAndUnlikelyToFit) {
    std::vector<AdviceStep> steps = {step("context", 1.0, Verdict::Fits),
                                     step("offload", 1.23, Verdict::Unlikely)};
    EXPECT_EQ(chosen(steps), "context");
    EXPECT_EQ(steps[1].why, "unlikely to fit, and context is 23 % faster");
}

TEST(ChooseStep, TakesWhatSurelyFitsBeforeWhatMay) {
    std::vector<AdviceStep> steps = {step("fsdp2", 1.0, Verdict::Likely),
                                     step("megatron", 1.5, Verdict::Fits),
                                     step("context", 0.5, Verdict::DoesNotFit)};
    EXPECT_EQ(chosen(steps), "megatron");
    EXPECT_EQ(steps[0].why, "only likely fits, but 50 % faster than megatron");
    judge(*steps[1].plan, Verdict::DoesNotFit);
    EXPECT_EQ(chosen(steps), "fsdp2");
    EXPECT_EQ(steps[0].answer, AdviceAnswer::Perhaps);
    judge(*steps[0].plan, Verdict::DoesNotFit);
    EXPECT_EQ(chosen(steps), "");
}

TEST(ChooseStep, StaysBelowWhatTheRunMayCost) {
    std::vector<AdviceStep> steps = {costing(step("fsdp2", 1.0, Verdict::Fits), 900.0),
                                     costing(step("lora", 2.0, Verdict::Fits), 90.0)};
    steps[1].set = "settings.tuning=lora";
    EXPECT_EQ(chosen(steps), "fsdp2");
    EXPECT_EQ(steps[1].why, "different training, 2.0 times slower than fsdp2");
    EXPECT_EQ(chosen(steps, Usd(100.0)), "lora");
    EXPECT_EQ(steps[0].why, "costs $900, more than $100");
}

TEST(ChooseStep, AsksWhetherANodeCanHoldWhatIsOffloaded) {
    std::vector<AdviceStep> steps = {step("offload", 1.0, Verdict::Fits)};
    MemoryBreakdown& memory = steps[0].plan->memory;
    memory.host = {.perNode = Bytes(std::int64_t{800} << 30),
                   .there = Bytes(std::int64_t{512} << 30)};
    memory.verdict = memory.host.verdict();
    EXPECT_EQ(chosen(steps), "");
    EXPECT_EQ(steps[0].why, "needs 800 GiB of host memory per node, of 512 GiB");
    memory.host.there = {};
    memory.verdict = memory.host.verdict();
    EXPECT_EQ(chosen(steps), "offload");
    EXPECT_EQ(steps[0].answer, AdviceAnswer::Perhaps);
}

}  // namespace
}  // namespace fabricast
