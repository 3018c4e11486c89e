// What is offered where nothing fits, or where the software cannot do what was asked.
#include "gui/models/suggestions.h"

#include "gui/pages/elided_label.h"
#include "study/plan.h"
#include "study/said_value.h"
#include "tests/gui/used_window.h"

#include <QLabel>
#include <QPushButton>
#include <algorithm>

namespace fabricast {
namespace suggestions_test {

PlanFix fixTo(const char* path, FixGroup group, Verdict verdict) {
    return {.group = group,
            .edits = {{path, "some", "--set"}},
            .reaches = verdict == Verdict::Fits,
            .outcome = {.verdict = verdict}};
}

/// Nothing fits; the nearest layout has a change of its own.
PlanReport missWith(std::vector<PlanFix> fixes, std::vector<Fix> own) {
    PlanReport report;
    report.fixes = PlanFixes{.targets = {}, .fixes = std::move(fixes)};
    report.misses.emplace_back().memory.rejections.push_back({.fixes = std::move(own)});
    return report;
}

TEST(FitSuggestions, BeginWithWhatFitsAndIsFree) {
    const PlanReport report =
        missWith({fixTo("stack", FixGroup::Free, Verdict::Unlikely),
                  fixTo("cluster.nodes", FixGroup::Buy, Verdict::Fits)},
                 {{.verdict = Verdict::Fits, .edits = {{"layout.offload", "host", "--layout"}}}});
    const std::vector<Suggestion> all = fitSuggestions(report);
    ASSERT_EQ(all.size(), 3U);
    EXPECT_EQ(all[0].edits.front().path, "layout.offload");
    EXPECT_EQ(all[1].edits.front().path, "cluster.nodes");
    EXPECT_EQ(firstSuggestion(report).edits, all[0].edits);
}

TEST(FitSuggestions, OfferNothingFirstThatIsUnlikelyToFit) {
    const PlanReport report = missWith({fixTo("stack", FixGroup::Free, Verdict::Unlikely)}, {});
    EXPECT_EQ(fitSuggestions(report).size(), 1U);
    EXPECT_TRUE(firstSuggestion(report).title.empty());
}

/// Whether that decides or is there: each in its own entry.
TEST(FitSuggestions, SayWhatTheHostMustHave) {
    const auto effectOf = [](const Fix& own) {
        const std::vector<Suggestion> all = fitSuggestions(missWith({}, {own}));
        return all.empty() ? std::string() : all[0].effect;
    };
    const std::vector<Edit> edits = {{"layout.offload", "some", "--layout"}};
    EXPECT_NE(
        effectOf({.verdict = Verdict::Likely, .needs = "120 GiB of host memory", .edits = edits})
            .find("if a server has 120 GiB of host memory"),
        std::string::npos);
    EXPECT_NE(
        effectOf(
            {.hostAfter = Bytes(std::int64_t{120} << 30), .verdict = Verdict::Fits, .edits = edits})
            .find("fits with 120 GiB of a server's memory"),
        std::string::npos);
    EXPECT_EQ(effectOf({.verdict = Verdict::Fits, .edits = edits}), "fits: 0 B");
}

/// A change of the search says it too, as a terminal does.
TEST(FitSuggestions, OfASearchSayWhatTheHostMustHave) {
    const Question question = smallQuestion({{"model", "qwen2.5-14b", "-m"},
                                             {"search.stacks", "fsdp2", "--stack"},
                                             {"layout.offload", "none", "--fix"},
                                             {"layout.recompute", "full", "--fix"}});
    const PlanReport report = plan(question, {}, openBench(), {}).value();
    ASSERT_TRUE(report.plans.empty());
    ASSERT_TRUE(report.fixes);
    const auto offloads = std::ranges::find_if(report.fixes->fixes, [](const PlanFix& fix) {
        return fix.layout.find("offload=") != std::string::npos;
    });
    ASSERT_NE(offloads, report.fixes->fixes.end());
    EXPECT_NE(offloads->sideEffect.find("of host memory a node"), std::string::npos)
        << offloads->sideEffect;
}

TEST(FirstSuggestion, MakesNothingFasterThatIsUnlikelyToFit) {
    PlanReport report;
    Plan& plan = report.plans.emplace_back();
    plan.step.step.value = Seconds(2.0);
    report.faster = FasterChange{.edits = {{"settings.kernels.compile", "true", "--set"}}};
    EXPECT_FALSE(firstSuggestion(report).title.empty());
    plan.memory.verdict = Verdict::Unlikely;
    EXPECT_TRUE(firstSuggestion(report).title.empty());
}

/// A plan in doubt, what makes it faster and what makes it sure.
PlanReport unsureReport() {
    PlanReport report;
    Plan& plan = report.plans.emplace_back();
    plan.step.step.value = Seconds(8.5);
    plan.memory.verdict = Verdict::Likely;
    report.faster = FasterChange{.edits = {{"settings.kernels.compile", "true", "--set"}}};
    report.faster->step.value = Seconds(7.5);
    report.surer = SurerChange{.set = "--set settings.kernels.loss=liger",
                               .edits = {{"settings.kernels.loss", "liger", "--set"}},
                               .plan = "fsdp2 shard=fsdp,recompute=full",
                               .peak = Bytes(20LL << 30),
                               .capacity = Bytes(24LL << 30)};
    report.surer->step.value = Seconds(8.331);
    return report;
}

TEST(FirstSuggestion, MakesItFitSurelyBeforeItMakesItFaster) {
    PlanReport report = unsureReport();
    const Suggestion first = firstSuggestion(report);
    EXPECT_TRUE(first.isSurer);
    EXPECT_EQ(first.effect, "surely fits in GPU memory alone, 20.0 of 24.0 GiB, 8.331 s a step");
    report.plans.front().memory.verdict = Verdict::Fits;  // by what lies in host memory
    EXPECT_FALSE(firstSuggestion(report).isSurer);
    report.surer->step.value = Seconds(7.0);
    EXPECT_TRUE(firstSuggestion(report).isSurer);
}

/// The change of the same settings is in the list once, with its time.
TEST(Suggestions, OfALayoutBeginWithWhatFitsSurely) {
    Explanation explanation;
    explanation.memory = MemoryBreakdown{};
    explanation.memory->rejections.push_back(
        {.fixes = {
             {.verdict = Verdict::Fits, .edits = {{"settings.kernels.loss", "liger", "--set"}}}}});
    const std::vector<Suggestion> all = suggestionsOf(explanation, unsureReport());
    ASSERT_EQ(all.size(), 1U);
    EXPECT_NE(all.front().effect.find("8.331 s a step"), std::string::npos) << all.front().effect;
}

TEST(FirstSuggestion, SaysThatTheErrorOfAComparisonIsAsLarge) {
    Explanation explanation;
    explanation.step = StepEstimate{};
    explanation.step->step.value = Seconds(61.6);
    explanation.faster = FasterChange{.edits = {{"settings.kernels.compile", "true", "--set"}}};
    explanation.faster->step.value = Seconds(58.9);
    for (const bool isClear : {true, false}) {
        explanation.faster->isClear = isClear;
        const std::string effect = suggestionsOf(explanation).front().effect;
        EXPECT_EQ(effect.find("(within the error of a comparison)") == std::string::npos, isClear)
            << effect;
    }
}

TEST(TargetSuggestions, BeginWithWhatReachesTheTarget) {
    const PlanFixes fixes{.targets = {{.target = {.wanted = 1e9}, .reached = 1e6}},
                          .fixes = {fixTo("stack", FixGroup::Free, Verdict::Likely),
                                    fixTo("cluster.nodes", FixGroup::Buy, Verdict::Fits)}};
    EXPECT_EQ(suggestionsOf(fixes).front().edits.front().path, "cluster.nodes");
}

TEST(Refused, SaysWhatTheSoftwareHasNotAndOffersOtherSoftware) {
    UsedWindow used({smallQuestion({{"settings.tuning", "lora", "--set"}}), {}});
    ASSERT_EQ(used.window.session().answers().stage, AnswerStage::Done);
    const QString words = used.find<ElidedLabel>("next.words").words();
    EXPECT_TRUE(words.startsWith("Megatron has no LoRA. This helps:")) << words.toStdString();
    used.window.showPage("explain");
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.find<QLabel>("explain.headline").text(), "Megatron has no LoRA.");
    EXPECT_FALSE(used.find<QWidget>("explain.time").isVisible()) << "of no layout";
    used.find<QPushButton>("next.do").click();
    ASSERT_TRUE(used.waits());
    EXPECT_TRUE(used.find<QWidget>("explain.time").isVisible());
    EXPECT_FALSE(used.window.session().answers().report->plans.empty());
    EXPECT_NE(saidValue(used.window.session().question(), "search.stacks"), "megatron");
}

TEST(Refused, LetsGoOfTheKeyThatLeavesNoLayout) {
    UsedWindow used({smallQuestion({{"layout.tp", "32", "--fix"}}), {}});
    ASSERT_EQ(used.window.session().answers().stage, AnswerStage::Failed);
    const QString subject = used.find<ElidedLabel>("verdict.subject").words();
    EXPECT_TRUE(subject.endsWith(": tp 32 does not divide 4")) << subject.toStdString();
    EXPECT_FALSE(subject.contains("--set")) << subject.toStdString();
    EXPECT_EQ(used.find<ElidedLabel>("next.words").words(), "Try:  tensor parallel (tp): auto");
    used.find<QPushButton>("next.do").click();
    ASSERT_TRUE(used.waits());
    EXPECT_EQ(used.window.session().answers().stage, AnswerStage::Done);
}

}  // namespace suggestions_test
}  // namespace fabricast
