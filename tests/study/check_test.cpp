#include "study/check.h"

#include "study/explain.h"
#include "study/requirements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace check_test {

const Workbench& testWorkbench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

Question questionIn(const std::string& text, const std::string& source = "run.json") {
    auto question = parseQuestion(text, source, {});
    EXPECT_TRUE(question) << question.error().text();
    return question ? *std::move(question) : Question();
}

constexpr const char* kBefore = R"({
  "model": "llama-3.1-8b", "cluster": "dgx-h100", "stack": "fsdp2",
  "workload": {"sequence": 8192, "global_batch": 16},
  "layout": "recompute=full"
})";
constexpr const char* kAfter = R"({
  "model": "llama-3.1-8b", "cluster": "8x-rtx-4090", "stack": "fsdp2",
  "workload": {"sequence": 8192, "global_batch": 16},
  "layout": "recompute=none",
  "require": ["fits", "mem_peak <= baseline * 1.02", "mfu >= 1% : warn"]
})";

CheckReport checked(const Question& question, const CheckAsk& ask = {}) {
    auto report = check(question, ask, testWorkbench(), {});
    EXPECT_TRUE(report) << report.error().text();
    return report ? *std::move(report) : CheckReport();
}

TEST(Check, AScenarioWithoutRequirementsIsAskedWhetherItFits) {
    const CheckReport report = checked(questionIn(kBefore));
    ASSERT_EQ(report.requirements.size(), 1U);
    EXPECT_EQ(report.requirements.front().requirement.text, "fits");
    EXPECT_EQ(report.verdict(), CheckVerdict::Holds);
    EXPECT_TRUE(report.fixes.empty());
}

TEST(Check, ARequirementHasItsPlaceInTheFile) {
    const CheckReport report = checked(questionIn(kAfter));
    ASSERT_EQ(report.requirements.size(), 3U);
    EXPECT_EQ(report.requirements.front().requirement.where, "run.json:5:15");
    EXPECT_EQ(report.requirements.front().verdict, CheckVerdict::Fails);
    EXPECT_EQ(report.verdict(), CheckVerdict::Fails);
}

TEST(Check, ARequirementThatIsAskedTwiceIsJudgedOnce) {
    CheckAsk ask;
    ask.requirements.push_back(readRequirement(" fits ", "--require").value());
    EXPECT_EQ(checked(questionIn(kAfter), ask).requirements.size(), 3U);
}

std::vector<WeakerRequirement> weakerOf(std::string_view now, std::string_view before) {
    return weakerIn({readRequirement(now, "run.json").value()},
                    {readRequirement(before, "main:run.json").value()});
}

TEST(Check, WhatIsBoundedFromBothSidesIsEqual) {
    const auto read = [](const char* text) { return readRequirement(text, "run.json").value(); };
    const std::vector<Requirement> before = {read("gpus == 16")};
    EXPECT_TRUE(weakerIn({read("gpus >= 16"), read("gpus <= 16")}, before).empty());
    EXPECT_EQ(weakerIn({read("gpus >= 16")}, before).size(), 1U);
    EXPECT_EQ(weakerIn({read("gpus >= 16"), read("gpus <= 17")}, before).size(), 1U);
}

TEST(Check, LessOfARequirementThanBeforeIsWeaker) {
    EXPECT_EQ(weakerOf("fits", "fits surely").size(), 1U);
    EXPECT_EQ(weakerOf("tokens_per_s >= 90k", "tokens_per_s >= 100k").size(), 1U);
    EXPECT_EQ(weakerOf("tokens_per_s >= 100k : warn", "tokens_per_s >= 100k").size(), 1U);
    EXPECT_EQ(weakerOf("tokens_per_s >= 100k @ p90", "tokens_per_s >= 100k").size(), 1U);
    EXPECT_EQ(weakerOf("days <= 10 @ p50", "days <= 10").size(), 1U);
    EXPECT_EQ(weakerOf("days <= 10", "days < 10").size(), 1U);
    EXPECT_EQ(weakerOf("mem_peak <= baseline * 1.1", "mem_peak <= baseline * 1.02").size(), 1U);
    EXPECT_EQ(weakerOf("mem_peak <= baseline * 1.1", "mem_peak <= 10 GiB").size(), 1U);
    const std::vector<WeakerRequirement> gone = weakerOf("gpus >= 1", "fits");
    ASSERT_EQ(gone.size(), 1U);
    EXPECT_FALSE(gone.front().now.has_value());
}

TEST(Check, AsMuchOfARequirementAsBeforeIsNotWeaker) {
    EXPECT_TRUE(weakerOf("fits surely", "fits").empty());
    EXPECT_TRUE(weakerOf("tokens_per_s >= 100000", "tokens_per_s >= 100k").empty());
    EXPECT_TRUE(weakerOf("tokens_per_s > 100k", "tokens_per_s >= 100k").empty());
    EXPECT_TRUE(weakerOf("tokens_per_s >= 110k @ p10", "tokens_per_s >= 100k : warn").empty());
    EXPECT_TRUE(weakerOf("days <= 9 @ p90", "days <= 10").empty());
    EXPECT_TRUE(weakerOf("gpus == 8", "gpus == 8").empty());
}

TEST(Check, WhatIsWeakerThanInTheBaselineIsSaidOfAScenarioThatHolds) {
    const auto asking = [](const std::string& require) {
        std::string text = kBefore;
        text.insert(text.rfind('}'), ", \"require\": " + require);
        return text;
    };
    const CheckAsk ask{.baseline = questionIn(asking(R"(["fits surely", "mfu >= 1%"])"), "main:a"),
                       .fixes = 0};
    const CheckReport report = checked(questionIn(asking(R"(["fits"])")), ask);
    EXPECT_EQ(report.verdict(), CheckVerdict::Holds);
    ASSERT_EQ(report.weaker.size(), 2U);
    EXPECT_EQ(report.weaker.front().now->text, "fits");
    EXPECT_EQ(report.weaker.back().before.text, "mfu >= 1%");
    EXPECT_FALSE(report.weaker.back().now.has_value());
}

// As this call would have asked of the baseline: what is typed is asked of both.
TEST(Check, NothingIsWeakerWhereTheBaselineAsksForNothing) {
    CheckAsk ask{.baseline = questionIn(kBefore, "main:run.json"), .fixes = 0};
    EXPECT_TRUE(checked(questionIn(kAfter), ask).weaker.empty());
    ask.requirements.push_back(readRequirement("gpus >= 1", "--require").value());
    EXPECT_TRUE(checked(questionIn(kBefore), ask).weaker.empty());
}

TEST(Check, WhatChangedSinceTheBaselineIsNamedWithBothPlaces) {
    const CheckReport report =
        checked(questionIn(kAfter), {.baseline = questionIn(kBefore, "main:run.json"), .fixes = 0});
    ASSERT_EQ(report.changes.size(), 2U);
    EXPECT_EQ(report.changes.front().key, "cluster.name");
    EXPECT_EQ(report.changes.front().before, "dgx-h100");
    EXPECT_EQ(report.changes.front().after, "8x-rtx-4090");
    EXPECT_EQ(report.changes.front().whereBefore.substr(0, 16), "main:run.json:2:");
    EXPECT_EQ(report.changes.front().whereAfter.substr(0, 11), "run.json:2:");
    EXPECT_EQ(report.requirements[1].verdict, CheckVerdict::Fails);
    EXPECT_TRUE(report.requirements[1].baseline.has_value());
}

TEST(Check, AFixThatIsAppliedComesTrue) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b", "cluster": "8x-rtx-4090",
        "stack": "fsdp2", "workload": {"sequence": 4096, "global_batch": 16},
        "require": ["fits", "tokens_per_s >= 1k @ p50"]})");
    const CheckReport report = checked(question);
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_FALSE(report.fixes.empty());
    for (const CheckFix& fix : report.fixes) {
        const Result<Question> changed = with(question, fix.edits);
        ASSERT_TRUE(changed) << fix.typed;
        const CheckReport after = checked(*changed, {.fixes = 0});
        EXPECT_NE(after.verdict(), CheckVerdict::Fails) << fix.typed;
        ASSERT_FALSE(fix.after.empty());
        EXPECT_EQ(after.requirements.front().value->value, fix.after.front().value->value);
    }
}

// A layout that fits and is too slow: no setting is enough, twice the nodes are.
TEST(Check, WhatIsTooSlowIsMendedByMoreNodes) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
        "stack": "fsdp2", "workload": {"sequence": 8192, "global_batch": 64},
        "layout": "recompute=full", "require": ["fits", "tokens_per_s >= 90k @ p50"]})");
    const CheckReport report = checked(question);
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_FALSE(report.fixes.empty());
    EXPECT_TRUE(report.fixes.front().mends);
    EXPECT_EQ(report.fixes.front().typed, "-n 2");
    const Question changed = with(question, report.fixes.front().edits).value();
    EXPECT_EQ(checked(changed, {.fixes = 0}).verdict(), CheckVerdict::Holds);
}

// So many samples of each rank stay as many in all: fewer of them mend nothing.
TEST(Check, AFixHoldsTheBatchOfAllRanks) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b",
        "cluster": {"name": "dgx-h100", "nodes": 4}, "stack": "megatron",
        "workload": {"sequence": 8192, "global_batch": "4 per rank"},
        "layout": "recompute=full,tp=4", "require": ["step_s <= 1.3"]})");
    const CheckReport report = checked(question);
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_FALSE(report.fixes.empty());
    for (const CheckFix& fix : report.fixes) {
        const Question changed = with(question, fix.edits).value();
        const CheckReport after = checked(changed, {.fixes = 0});
        EXPECT_EQ(after.side.scenario.workload.globalBatch, 32) << fix.typed;
        EXPECT_EQ(after.requirements.front().value->value, fix.after.front().value->value);
    }
}

// Recomputing leaves the ranks as they are: the batch is held without a word.
TEST(Check, AFixSaysTheBatchOnlyWhereItWouldBeAnother) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
        "stack": "fsdp2", "workload": {"sequence": 8192, "global_batch": "4 per rank"},
        "layout": "recompute=none,micro_batch=2", "require": ["fits surely"]})");
    const CheckReport report = checked(question, {.fixes = 50});
    ASSERT_FALSE(report.fixes.empty());
    bool isRecomputed = false;
    for (const CheckFix& fix : report.fixes) {
        const bool addsNodes = fix.typed.find("-n ") != std::string::npos;
        const bool saysBatch = fix.typed.find("--global-batch") != std::string::npos;
        EXPECT_EQ(addsNodes, saysBatch) << fix.typed;
        isRecomputed = isRecomputed || fix.typed == "--layout recompute=full";
    }
    EXPECT_TRUE(isRecomputed) << report.fixes.front().typed;
}

constexpr const char* kCompiled = R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
    "stack": "torchtitan", "workload": {"sequence": 8192, "global_batch": 64},
    "layout": "recompute=none", "settings": {"kernels": {"compile": true}},
    "require": ["tokens_per_s >= 72k @ p50"]})";

// Twice the sequences at once would be fast enough, and take 106 of 79 GiB.
TEST(Check, AFixFitsAsSurelyAsTheRun) {
    const Question question = questionIn(kCompiled);
    const CheckReport report = checked(question);
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_EQ(report.side.memory.verdict, Verdict::Fits);
    ASSERT_FALSE(report.fixes.empty());
    for (const CheckFix& fix : report.fixes) {
        const Question changed = with(question, fix.edits).value();
        EXPECT_EQ(checked(changed, {.fixes = 0}).side.memory.verdict, Verdict::Fits) << fix.typed;
    }
}

// Where the run does not fit and nobody asks whether it does, a fix does, or says that it does not.
TEST(Check, AFixOfWhatDoesNotFitFitsOrSaysThatItDoesNot) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
        "stack": "torchtitan", "workload": {"sequence": 8192, "global_batch": 64},
        "layout": "recompute=none,micro_batch=2", "require": ["mfu >= 90%"]})");
    const CheckReport report = checked(question);
    ASSERT_EQ(report.side.memory.verdict, Verdict::DoesNotFit);
    for (const CheckFix& fix : report.fixes) {
        const Question changed = with(question, fix.edits).value();
        const bool fits = checked(changed, {.fixes = 0}).side.memory.verdict == Verdict::Fits;
        EXPECT_NE(fits, fix.sideEffect.find("fit in memory") != std::string::npos) << fix.typed;
        EXPECT_TRUE(fits || !fix.mends) << fix.typed;
    }
}

// Neither is enough alone; other GPUs are, and cost more.
TEST(Check, TwoChangesThatCostNothingComeBeforeOtherHardware) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
        "stack": "torchtitan", "workload": {"sequence": 8192, "global_batch": 64},
        "layout": "recompute=selective", "require": ["tokens_per_s_gpu >= 8500 @ p50"]})");
    const CheckReport report = checked(question);
    ASSERT_FALSE(report.fixes.empty());
    EXPECT_TRUE(report.fixes.front().mends);
    EXPECT_EQ(report.fixes.front().typed,
              "--layout recompute=none --set settings.kernels.compile=true");
}

// Recomputing fits and is too slow, compiling is fast enough and does not fit: together they may
// hold. A base of 4 bits does alone, and is another training.
TEST(Check, TwoChangesThatMendAPartEachComeBeforeAnotherTraining) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b",
        "cluster": {"name": "8x-rtx-4090", "gpus": 1}, "stack": "axolotl",
        "workload": {"sequence": 2048, "global_batch": 16}, "settings": {"tuning": "lora"},
        "require": ["fits", "tokens_per_s >= 2k"]})");
    const CheckReport report = checked(question, {.fixes = 4});
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_EQ(report.fixes.size(), 4U);
    EXPECT_TRUE(report.fixes.front().mends);
    EXPECT_EQ(report.fixes.front().typed,
              "--layout recompute=full --set settings.kernels.compile=true");
    EXPECT_EQ(report.fixes[2].typed, "--set settings.lora.base=nf4");
    EXPECT_EQ(report.fixes.back().typed, "--gpus 16") << "it leaves nothing unsure";
}

// The number that is asked for is not forecast with parameters on the host.
TEST(Check, AFixForecastsWhatIsAskedFor) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b",
        "cluster": {"name": "8x-rtx-4090", "gpus": 1}, "stack": "deepspeed",
        "workload": {"sequence": 2048, "global_batch": 16}, "settings": {"tuning": "lora"},
        "require": ["fits", "tokens_per_s >= 2k"]})");
    const CheckReport report = checked(question, {.fixes = 50});
    ASSERT_FALSE(report.fixes.empty());
    for (const CheckFix& fix : report.fixes) {
        for (const CheckedRequirement& one : fix.after) {
            EXPECT_TRUE(one.value) << fix.typed;
        }
    }
}

// What a scenario trains otherwise than its baseline is no free thing to take back.
TEST(Check, AnotherTrainingIsTakenBackAfterWhatIsFree) {
    const std::string before = R"({"model": "llama-3.1-8b",
        "cluster": {"name": "8x-rtx-4090", "gpus": 1}, "stack": "axolotl",
        "workload": {"sequence": 2048, "global_batch": 16},
        "settings": {"tuning": "lora", "lora": {"base": "nf4"}}, "require": ["fits"]})";
    std::string now = before;
    now.replace(now.find("nf4"), 3, "bf16");
    const CheckReport report =
        checked(questionIn(now), {.baseline = questionIn(before, "main:run.json")});
    ASSERT_GE(report.fixes.size(), 2U);
    EXPECT_EQ(report.fixes.front().typed, "--layout recompute=full");
    EXPECT_NE(report.fixes.back().typed.find("nf4"), std::string::npos)
        << report.fixes.back().typed;
}

std::int64_t gpusAfter(const Question& question, const CheckFix& fix) {
    const Question changed = with(question, fix.edits).value();
    return checked(changed, {.fixes = 0}).side.scenario.layout.world();
}

// Other GPUs than the scenario has are said: as a flag of the cluster, or in words.
TEST(Check, NoFixChangesTheNumberOfGpusWithoutSayingSo) {
    for (const char* const layout : {"tp=4,dp=2", "tp=8", "tp=4,pp=2,dp=2", "tp=2"}) {
        for (const char* const require :
             {"tokens_per_s >= 54k @ p50", "tokens_per_s >= 70k @ p50", "mem_peak <= 14 GiB"}) {
            const Question question =
                questionIn(std::string(R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
                "stack": "megatron", "workload": {"sequence": 8192, "global_batch": 64},
                "layout": ")") +
                           layout + R"(,recompute=none", "require": [")" + require + R"("]})");
            const CheckReport report = checked(question);
            for (const CheckFix& fix : report.fixes) {
                const std::int64_t gpus = gpusAfter(question, fix);
                const bool isSaid = fix.typed.find("-n ") != std::string::npos;
                const std::string words = std::to_string(gpus) + " GPUs in place of";
                EXPECT_TRUE(gpus == report.side.scenario.layout.world() || isSaid ||
                            fix.sideEffect.find(words) != std::string::npos)
                    << layout << ": " << fix.typed << " takes " << gpus;
            }
        }
    }
}

// The ranks of a launch file are said: what goes to another axis leaves dp.
TEST(Check, AnotherDivisionOfTheRanksKeepsTheGpusOfALaunchFile) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
        "stack": "megatron", "workload": {"sequence": 8192, "global_batch": 64},
        "layout": "tp=8,dp=2,recompute=none", "require": ["tokens_per_s >= 120k @ p50"]})");
    const CheckReport report = checked(question);
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_FALSE(report.fixes.empty());
    EXPECT_EQ(report.fixes.front().typed, "--layout tp=4,dp=4");
    EXPECT_EQ(gpusAfter(question, report.fixes.front()), 16);
}

constexpr const char* kFast = R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
    "stack": "deepspeed", "workload": {"sequence": 4096, "global_batch": 64},
    "layout": {"shard": "zero3", "micro_batch": 2, "recompute": "full"},
    "settings": {"precision": {"reduce": "bf16"}},
    "require": ["fits surely", "tokens_per_s >= baseline * 0.98"]})";
constexpr const char* kOffloaded = R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
    "stack": "deepspeed", "workload": {"sequence": 4096, "global_batch": 64},
    "layout": {"shard": "zero3", "micro_batch": 1, "recompute": "full", "offload": "optimizer_cpu"},
    "settings": {"precision": {"reduce": "fp32"}},
    "require": ["fits surely", "tokens_per_s >= baseline * 0.98"]})";

// What made it slow is the first thing to take back.
TEST(Check, AChangeSinceTheBaselineThatIsUndoneIsAFix) {
    const CheckReport report =
        checked(questionIn(kOffloaded), {.baseline = questionIn(kFast, "main:run.json")});
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_FALSE(report.fixes.empty());
    EXPECT_TRUE(report.fixes.front().mends);
    EXPECT_NE(report.fixes.front().sideEffect.find("as in the baseline"), std::string::npos);
    for (const CheckFix& fix : report.fixes) {
        const Question changed = with(questionIn(kOffloaded), fix.edits).value();
        const CheckReport after =
            checked(changed, {.baseline = questionIn(kFast, "main:run.json"), .fixes = 0});
        EXPECT_NE(after.verdict(), CheckVerdict::Fails) << fix.typed;
    }
}

// Without a baseline too: states that are on the host come back.
TEST(Check, StatesOfTheHostComeBackWhereTheyAreTooSlow) {
    std::string text = kOffloaded;
    text.replace(text.find("baseline * 0.98"), 15, "45k @ p50");
    const CheckReport report = checked(questionIn(text));
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_FALSE(report.fixes.empty());
    EXPECT_NE(report.fixes.front().typed.find("offload=none"), std::string::npos)
        << report.fixes.front().typed;
}

// Taking back what set a key and setting it to what it was are one change.
TEST(Check, NoTwoFixesAreOneChange) {
    const CheckReport report = checked(
        questionIn(kOffloaded), {.baseline = questionIn(kFast, "main:run.json"), .fixes = 50});
    std::set<std::pair<std::vector<std::string>, double>> seen;
    for (const CheckFix& fix : report.fixes) {
        std::vector<std::string> paths;
        for (const Edit& edit : fix.edits) {
            paths.push_back(edit.path);
        }
        std::ranges::sort(paths);
        const Question changed = with(questionIn(kOffloaded), fix.edits).value();
        const CheckReport after = checked(changed, {.fixes = 0});
        const double seconds = after.side.step->step.value.count();
        EXPECT_TRUE(seen.emplace(std::move(paths), seconds).second) << fix.typed;
    }
}

// Changes that hold together were found with eight times the hardware; they hold with twice.
TEST(Check, AFixAddsTheLeastHardwareThatHolds) {
    const Question question = questionIn(R"({"model": "llama-3.1-8b", "cluster": "dgx-h100",
        "stack": "deepspeed", "workload": {"sequence": 8192, "global_batch": 64},
        "layout": "shard=zero3,micro_batch=2,recompute=none",
        "require": ["fits surely", "step_s <= 6 s @ p50", "mem_peak <= 35.29 GiB"]})");
    const CheckReport report = checked(question);
    ASSERT_EQ(report.verdict(), CheckVerdict::Fails);
    ASSERT_FALSE(report.fixes.empty());
    EXPECT_TRUE(report.fixes.front().mends);
    EXPECT_TRUE(report.fixes.front().typed.starts_with("-n 2 ")) << report.fixes.front().typed;
}

TEST(Check, ItsNumbersAreThoseOfExplain) {
    const Question question = questionIn(kBefore);
    CheckAsk ask;
    for (const char* text : {"step_s <= 1000", "mem_peak <= 1 TiB", "usd_per_mtok <= 100"}) {
        ask.requirements.push_back(readRequirement(text, "--require").value());
    }
    const CheckReport report = checked(question, ask);
    const auto answer = explain(question, {.step = true, .cost = true}, testWorkbench(), {});
    ASSERT_TRUE(answer) << answer.error().text();
    EXPECT_EQ(report.requirements[0].value->hi, answer->step->step.hi.count());
    EXPECT_EQ(report.requirements[1].value->lo,
              static_cast<double>(answer->memory->peak.lo.count()));
    EXPECT_EQ(report.requirements[2].value->value, answer->cost->perMtok->value.count());
}

TEST(Check, ANewScenarioHoldsWhatIsComparedWithABaselineOnlyWhereThatIsAllowed) {
    CheckAsk ask{.kept = noRegression("2%", "--max-regression").value()};
    EXPECT_EQ(checked(questionIn(kBefore), ask).verdict(), CheckVerdict::CannotTell);
    ask.withoutBaseline = NoBaseline::NewFails;
    EXPECT_EQ(checked(questionIn(kBefore), ask).verdict(), CheckVerdict::Fails);
    ask.withoutBaseline = NoBaseline::NewHolds;
    EXPECT_EQ(checked(questionIn(kBefore), ask).verdict(), CheckVerdict::Holds);
}

TEST(Check, ManyScenariosKeepTheirOrderAndTheirErrors) {
    std::vector<CheckTask> tasks;
    for (int i = 0; i < 12; ++i) {
        const std::string name = std::to_string(i) + ".json";
        tasks.push_back(
            {.source = name,
             .question = i == 5 ? parseQuestion("{", name, {}) : parseQuestion(kBefore, name, {}),
             .baseline = {}});
    }
    const auto outcomes = checkAll(tasks, {}, testWorkbench(), {});
    ASSERT_TRUE(outcomes);
    ASSERT_EQ(outcomes->size(), tasks.size());
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        EXPECT_EQ((*outcomes)[i].source, tasks[i].source);
        EXPECT_EQ((*outcomes)[i].report.has_value(), i != 5);
    }
    EXPECT_EQ((*outcomes)[5].error->where.substr(0, 6), "5.json");
}

}  // namespace check_test
}  // namespace fabricast
