#include "study/advise.h"

#include "study/option_search.h"
#include "study/other_situations.h"
#include "study/sensitivity.h"
#include "tests/planner/budget/budget_example.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

AdviceFamily family(const std::string& key, const std::string& stackName, const ModelSpec& model) {
    const Stack* stack = findStack(stackName).value();
    AdviceFamily made{.key = key, .question = key};
    made.stacks.push_back({stack, [stack, model](const Layout& layout) -> Result<Settings> {
                               return defaultSettings(*stack, model, layout);
                           }});
    return made;
}

void setOuterSteps(AdviceTask& task, std::int64_t steps) {
    for (AdviceFamily& family : task.families) {
        for (StackSettings& stack : family.stacks) {
            stack.settingsFor = [before = stack.settingsFor,
                                 steps](const Layout& layout) -> Result<Settings> {
                FABRICAST_ASSIGN(Settings settings, before(layout));
                settings.outer.steps = steps;
                return settings;
            };
        }
    }
}

/// What the edits of a situation make of the task.
Result<AdviceTask> changedTask(AdviceTask task, std::span<const Edit> edits) {
    for (const Edit& edit : edits) {
        const std::int64_t value = std::stoll(edit.value);
        WorkloadSpec& workload = task.base.workload;
        ClusterSpec& cluster = task.base.cluster;
        if (edit.path == "cluster.gpus") {
            cluster.nodes = std::max<std::int64_t>(1, value / 8);
            cluster.node.gpus = std::min<std::int64_t>(8, value);
        } else if (edit.path == "workload.sequence") {
            workload.sequence = value;
        } else if (edit.path == "settings.outer.steps") {
            setOuterSteps(task, value);
        } else {
            EXPECT_EQ(edit.path, "workload.global_batch");
            workload.globalBatch = value;
        }
    }
    return task;
}

/// Two layers on eight GPUs of so much memory, with DDP and FSDP2 to choose from.
AdviceTask smallTask(Bytes memory) {
    AdviceTask task{.base = exampleRun("fsdp2", {.dp = 8}), .budget = exampleFacts()};
    task.base.model.layers = 2;
    task.base.model.vocab = 32000;
    task.base.workload = {.sequence = 4096, .globalBatch = 16};
    task.base.cluster.node.gpu.usableMemory = {.value = memory};
    task.families = {family("ddp", "ddp", task.base.model),
                     family("fsdp2", "fsdp2", task.base.model),
                     family("lora", "fsdp2", task.base.model)};
    task.families[2].moment = AdviceMoment::NothingFits;
    task.with = [task](std::span<const Edit> edits) { return changedTask(task, edits); };
    return task;
}

std::string taken(const Advice& advice) {
    return advice.recommended ? advice.steps[*advice.recommended].key : "";
}

TEST(Advise, PricesEveryWayAndLeavesOutWhatIsNotNeeded) {
    const Advice advice = adviseOn(smallTask(80_GiB), exampleTiming(), 1).value();
    ASSERT_EQ(advice.steps.size(), 3U);
    EXPECT_NE(taken(advice), "");
    EXPECT_EQ(advice.steps[2].answer, AdviceAnswer::NotAsked);
    for (std::size_t i = 0; i < 2; ++i) {
        ASSERT_TRUE(advice.steps[i].timed) << advice.steps[i].why;
        EXPECT_TRUE(advice.steps[i].plan->cost->perMtok);
        EXPECT_NE(advice.steps[i].why, "");
    }
    EXPECT_EQ(advice.basis.priceProfile, "market-2026-05");
}

/// What the model lacks comes before what its software lacks.
TEST(Advise, SaysOfADenseModelThatItHasNoExperts) {
    AdviceTask task = smallTask(80_GiB);
    task.families[1].moment = AdviceMoment::Experts;
    task.families[1].excluded = true;
    task.families[2].moment = AdviceMoment::SeveralNodes;
    task.families[2].excluded = true;
    const EvaluatedOptions said = evaluateOptions(task, exampleTiming(), 1).value();
    EXPECT_EQ(said.options[1].why, "the model has no experts");
    EXPECT_EQ(said.options[2].why, "one node");
}

TEST(Advise, OtherSituationsAreSearchedForReal) {
    const AdviceTask task = smallTask(80_GiB);
    const Advice advice = adviseOn(task, exampleTiming(), 1).value();
    // One node: no network between nodes.
    ASSERT_EQ(advice.changes.size(), 4U);
    EXPECT_EQ(advice.changes[0].change, "twice the GPUs");
    ASSERT_TRUE(advice.changes[0].plan);
    EXPECT_EQ(advice.changes[0].plan->scenario.layout.world(), 16);
    ASSERT_TRUE(advice.changes[1].plan);
    EXPECT_EQ(advice.changes[1].plan->scenario.layout.world(), 4);
    AdviceTask half = task;
    half.base.cluster.node.gpu.usableMemory.value = 40_GiB;
    const EvaluatedOptions evaluated = evaluateOptions(half, exampleTiming(), 1).value();
    ASSERT_TRUE(evaluated.recommended && advice.changes[3].plan);
    EXPECT_EQ(advice.changes[3].change, "half the memory per GPU");
    EXPECT_EQ(advice.changes[3].key, evaluated.options[*evaluated.recommended].key);
    EXPECT_EQ(advice.changes[3].plan->scenario.layout,
              evaluated.options[*evaluated.recommended].plan->scenario.layout);
}

/// Where only what is recommended is of use, ways that are slower are not searched to their end.
TEST(Advise, RecommendsTheSameWhereOnlyThatIsOfUse) {
    for (const Bytes memory : {9_GiB, 12_GiB, 14_GiB, 20_GiB, 80_GiB}) {
        AdviceTask task = smallTask(memory);
        const EvaluatedOptions all = evaluateOptions(task, exampleTiming(), 1).value();
        task.onlyBest = true;
        const EvaluatedOptions best = evaluateOptions(task, exampleTiming(), 1).value();
        ASSERT_EQ(best.recommended, all.recommended) << memory.count();
        if (all.recommended) {
            EXPECT_EQ(best.options[*best.recommended].plan->scenario.layout,
                      all.options[*all.recommended].plan->scenario.layout);
        }
    }
}

/// Where what is recommended surely fits, so does what is in every other situation.
TEST(Advise, HoldsOtherSituationsToHowSurelyTheQuestionFits) {
    for (const Bytes memory : {20_GiB, 22_GiB, 24_GiB, 26_GiB, 28_GiB, 30_GiB}) {
        const Advice advice = adviseOn(smallTask(memory), exampleTiming(), 1).value();
        const bool isSure = !advice.recommended ||
                            advice.steps[*advice.recommended].plan->memory.verdict == Verdict::Fits;
        for (const AdviceChange& change : advice.changes) {
            if (isSure && change.plan) {
                EXPECT_EQ(change.plan->memory.verdict, Verdict::Fits)
                    << memory.count() << " " << change.change;
            }
        }
    }
}

/// Ctrl-C while the second way is evaluated: the first is the answer.
TEST(Advise, HasTheWaysThatWereEvaluatedWhenItIsStopped) {
    std::stop_source stop;
    int ways = 0;
    const Watch watch{.stop = stop.get_token(), .status = [&](std::string_view) {
                          if (++ways == 2) {
                              stop.request_stop();
                          }
                      }};
    const Result<Advice> advice = adviseOn(smallTask(80_GiB), exampleTiming(), 1, watch);
    ASSERT_TRUE(advice) << advice.error().text();
    EXPECT_TRUE(advice->stopped);
    EXPECT_EQ(advice->steps.size(), 1U);
    EXPECT_TRUE(advice->changes.empty());
}

TEST(Advise, WhereNothingFitsItSaysHowMuchMoreWould) {
    const Advice advice = adviseOn(smallTask(2_GiB), exampleTiming(), 1).value();
    EXPECT_FALSE(advice.recommended);
    EXPECT_EQ(advice.steps[2].answer, AdviceAnswer::No);  // asked, as nothing else fits
    ASSERT_FALSE(advice.changes.empty());
    bool helped = false;
    for (const AdviceChange& change : advice.changes) {
        EXPECT_FALSE(change.same && change.plan);
        helped = helped || change.plan.has_value();
    }
    EXPECT_TRUE(helped);
}

TEST(Advise, LooksForALayoutThatSurelyFits) {
    // Between what the fastest layout takes and what the allocator may hold back of it.
    for (const Bytes memory : {9_GiB, 10_GiB, 12_GiB, 14_GiB}) {
        const EvaluatedOptions evaluated =
            evaluateOptions(smallTask(memory), exampleTiming(), 1).value();
        for (const AdviceStep& step : evaluated.options) {
            if (step.timed && step.plan->memory.verdict == Verdict::Fits) {
                EXPECT_LE(step.plan->memory.peak.hi, memory) << step.key;
                EXPECT_EQ(step.plan->scenario.cluster.node.gpu.usableMemory.value, memory);
            }
        }
    }
}

/// Ways that no work is left for are named, and so are searches that ended before all was looked
/// at.
TEST(Advise, SaysWhatItsLimitOfWorkLeftOut) {
    AdviceTask task = smallTask(80_GiB);
    std::int64_t left = 1;
    task.walksLeft = &left;
    const EvaluatedOptions evaluated = evaluateOptions(task, exampleTiming(), 1).value();
    EXPECT_TRUE(evaluated.isCut);
    ASSERT_EQ(evaluated.options.size(), 3U);
    EXPECT_TRUE(evaluated.options[0].plan.has_value());
    EXPECT_NE(evaluated.options[0].cutShort, "");
    EXPECT_FALSE(evaluated.options[1].plan.has_value());
    EXPECT_EQ(evaluated.options[1].cutShort, "not looked at");
    EXPECT_LE(left, 0);
    std::int64_t enough = 40'000'000;
    task.walksLeft = &enough;
    const EvaluatedOptions whole = evaluateOptions(task, exampleTiming(), 1).value();
    EXPECT_FALSE(whole.isCut);
    EXPECT_EQ(whole.options[1].cutShort, "");
    EXPECT_LT(enough, 40'000'000);
}

TEST(Advise, SaysTheSameForAnyNumberOfThreads) {
    const AdviceTask task = smallTask(8_GiB);
    const Advice one = adviseOn(task, exampleTiming(), 1).value();
    const Advice three = adviseOn(task, exampleTiming(), 3).value();
    ASSERT_EQ(one.recommended, three.recommended);
    for (std::size_t i = 0; i < one.steps.size(); ++i) {
        EXPECT_EQ(one.steps[i].why, three.steps[i].why);
    }
}

/// At several sites the line between them matters, and how often they are joined.
TEST(Advise, AsksAboutTheLineBetweenSites) {
    const auto changesOf = [](const AdviceTask& task) {
        std::vector<std::string> names;
        const Advice advice = adviseOn(task, exampleTiming(), 1).value();
        for (const AdviceChange& change : advice.changes) {
            names.push_back(change.change);
        }
        return names;
    };
    const std::string line = "a quarter of the bandwidth of the line between sites";
    const std::string apart = "local SGD (settings.outer.steps=100): check convergence";
    AdviceTask task = smallTask(80_GiB);
    task.base.cluster.nodes = 2;
    EXPECT_EQ(std::ranges::count(changesOf(task), line), 0);
    task.base.cluster.sites = {
        .count = 2, .rate = BytesPerSecond(1e9), .efficiency = 0.9, .latency = Seconds(0.01)};
    task.with = [task](std::span<const Edit> edits) { return changedTask(task, edits); };
    EXPECT_EQ(std::ranges::count(changesOf(task), line), 1);
    EXPECT_EQ(std::ranges::count(changesOf(task), apart), 1);
    setOuterSteps(task, 50);
    EXPECT_EQ(std::ranges::count(changesOf(task), apart), 0);
}

TEST(Advise, EverySituationIsAnother) {
    for (const OtherSituation& situation : otherSituations()) {
        Scenario base = smallTask(80_GiB).base;
        base.cluster.nodes = 4;
        base.cluster.sites.count = 2;
        base.settings.phases.evaluationBatch = 8;
        const bool isKnob = std::ranges::any_of(
            knobs(), [&](const Knob& knob) { return knob.key == situation.knob; });
        EXPECT_NE(isKnob, situation.edits != nullptr) << situation.change << situation.of;
        if (situation.edits != nullptr) {
            EXPECT_FALSE(situation.edits(base, 1).empty()) << situation.change << situation.of;
        }
    }
}

}  // namespace
}  // namespace fabricast
