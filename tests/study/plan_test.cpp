#include "study/plan.h"

#include "study/explain.h"
#include "study/targets.h"
#include "study/typed_plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

namespace fabricast {
namespace plan_test {

const Workbench& bench() {
    static const Workbench opened = Workbench::open({}, 2).value();
    return opened;
}

Question asked(const std::vector<Edit>& more) {
    const std::vector<Edit> edits = {{"model", "gpt2", "-m"},
                                     {"cluster.name", "8x-rtx-4090", "-c"},
                                     {"workload.sequence", "1024", "--seq"},
                                     {"workload.global_batch", "64", "--global-batch"},
                                     {"search.stacks", "fsdp2", "--stack"},
                                     {"search.top", "1", "--top"}};
    return with(with(readQuestion("", "").value(), edits).value(), more).value();
}

PlanReport planned(const Question& question, const std::vector<std::string>& targets = {}) {
    const PlanAsk ask{.targets = readTargets(targets).value()};
    return plan(question, ask, bench(), {}).value();
}

TEST(PlanStudy, SaysWhichSettingMakesItsFirstPlanFaster) {
    const Question question = asked({{"search.stacks", "megatron", "--stack"},
                                     {"cluster.name", "dgx-h100", "-c"},
                                     {"layout.tp", "4", "--layout"},
                                     {"layout.pp", "1", "--layout"}});
    const PlanReport report = planned(question);
    ASSERT_TRUE(report.faster);
    EXPECT_TRUE(report.faster->set.starts_with("settings.")) << report.faster->set;
    // The same layout with it takes as long as is said.
    const Plan& best = report.plans.front();
    const Question about = questionAbout(question, report.question, best.scenario).value();
    const Question changed = with(about, report.faster->edits).value();
    const Explanation after = explain(changed, {.memory = true, .step = true}, bench(), {}).value();
    EXPECT_EQ(after.step->step.value, report.faster->step.value);
    EXPECT_EQ(after.memory->verdict, report.faster->verdict);
    EXPECT_LT(after.step->step.value, best.step.step.value * 0.99);
}

class FixesOf : public testing::TestWithParam<const char*> {};

// Applying a fix finds the plan that the fix promises: both are searched by the question's rule.
TEST_P(FixesOf, AreSearchedByTheRuleOfTheirPlan) {
    const Question question = asked({{"search.objective", GetParam(), "--objective"},
                                     {"layout.recompute", "full", "--layout"}});
    const PlanReport report = planned(question, {"tokens-per-s=1T"});
    ASSERT_TRUE(report.fixes);
    ASSERT_GE(report.fixes->fixes.size(), 3U);
    bool frees = false;
    for (const PlanFix& fix : report.fixes->fixes) {
        EXPECT_EQ(fix.typed, typedBehind(question, fix.edits));
        EXPECT_EQ(fix.behind.find("--layout"), std::string::npos) << fix.behind;
        const PlanReport after = planned(with(question, fix.edits).value(), {"tokens-per-s=1T"});
        ASSERT_FALSE(after.plans.empty()) << fix.typed;
        EXPECT_EQ(typedPlan(after.plans.front()), fix.layout) << fix.typed;
        EXPECT_EQ(after.plans.front().step.step.value, fix.outcome.step) << fix.typed;
        EXPECT_EQ(after.plans.front().scenario.layout.world(), fix.gpus) << fix.typed;
        frees = frees || fix.change.find("recompute not fixed") != std::string::npos;
    }
    // Full recompute needs the least memory: of that, letting it go is no fix.
    EXPECT_EQ(frees, std::string(GetParam()) != "memory");
}

INSTANTIATE_TEST_SUITE_P(Objectives, FixesOf, testing::Values("tokens", "cost", "gpus", "memory"));

// What was found before a stop is the answer, with the targets that it misses.
TEST(PlanStudy, AStopAfterTheSearchKeepsThePlans) {
    const PlanAsk ask{.targets = readTargets({"tokens-per-s=1T"}).value(), .sensitivity = true};
    for (const std::string_view phase : {"the sensitivity", "the search for what would help"}) {
        std::stop_source source;
        const Watch watch{.stop = source.get_token(), .status = [&](std::string_view what) {
                              if (what == phase) {
                                  source.request_stop();
                              }
                          }};
        const auto report = plan(asked({}), ask, bench(), watch);
        ASSERT_TRUE(report) << report.error().text();
        EXPECT_EQ(report->unfinished, phase);
        EXPECT_FALSE(report->plans.empty());
        ASSERT_TRUE(report->fixes);
        EXPECT_FALSE(report->fixes->allMet());
    }
}

/// Somebody's own machine is nothing to buy, whatever its GPU.
TEST(PlanStudy, OffersOnlyWhatIsSold) {
    const Question question = asked({{"model", "llama-3.2-1b", "-m"},
                                     {"cluster.name", "dgx-a100", "-c"},
                                     {"workload.sequence", "2048", "--seq"}});
    const PlanReport report = planned(question, {"tokens-per-s=1T"});
    bool offers = false;
    for (const PlanFix& fix : report.fixes->fixes) {
        EXPECT_EQ(fix.typed.find("torchtitan-h100"), std::string::npos) << fix.typed;
        offers = offers || fix.typed.find("--set cluster.name=dgx-b") != std::string::npos;
    }
    EXPECT_TRUE(offers);
}

// Without FSDP or ZeRO Axolotl keeps in bf16 what the stack that was asked for keeps in fp32.
TEST(PlanStudy, SaysThatAnotherStackKeepsNarrowerStates) {
    const Question question = asked({{"model", "llama-3.2-1b", "-m"},
                                     {"cluster.gpus", "1", "--gpus"},
                                     {"layout.offload", "none", "--layout"}});
    const PlanReport report = planned(question, {"tokens-per-s=1M"});
    ASSERT_TRUE(report.fixes);
    bool offersAxolotl = false;
    for (const PlanFix& fix : report.fixes->fixes) {
        const bool isAxolotl = fix.typed.find("axolotl") != std::string::npos &&
                               fix.typed.find("lora") == std::string::npos &&
                               fix.typed.find("cluster.gpus") == std::string::npos;
        offersAxolotl = offersAxolotl || isAxolotl;
        EXPECT_EQ(fix.sideEffect.ends_with(
                      "weights and moments are kept in bf16 alone: check convergence"),
                  isAxolotl)
            << fix.typed << ": " << fix.sideEffect;
    }
    EXPECT_TRUE(offersAxolotl);
}

/// The default of a search is larger on more GPUs, which would then be compared with another
/// training.
TEST(PlanStudy, ComparesMoreHardwareAtTheBatchOfTheAnswer) {
    const Question question = asked({{"model", "llama-3.2-1b", "-m"},
                                     {"cluster.name", "dgx-a100", "-c"},
                                     {"workload.global_batch", "null", "--global-batch"},
                                     {"workload.sequence", "2048", "--seq"}});
    ASSERT_FALSE(says(question, "workload.global_batch"));
    const PlanReport report = planned(question, {"tokens-per-s=800k"});
    ASSERT_TRUE(report.fixes);
    const std::int64_t batch = report.plans.front().scenario.workload.globalBatch;
    bool offersMore = false;
    for (const PlanFix& fix : report.fixes->fixes) {
        if (std::ranges::find(fix.edits, "cluster.nodes", &Edit::path) != fix.edits.end() &&
            fix.sideEffect.ends_with("times the hardware")) {
            offersMore = true;
            EXPECT_NE(fix.typed.find("--global-batch " + std::to_string(batch)), std::string::npos)
                << fix.typed;
        }
    }
    EXPECT_TRUE(offersMore);
}

TEST(PlanStudy, OffersTheLeastOfOneKindOfHardwareThatIsEnough) {
    const Question question =
        asked({{"model", "llama-3.2-1b", "-m"}, {"cluster.name", "dgx-a100", "-c"}});
    const PlanReport report = planned(question, {"tokens-per-s=300k"});
    ASSERT_TRUE(report.fixes);
    std::vector<std::string> more;
    for (const PlanFix& fix : report.fixes->fixes) {
        if (fix.sideEffect.ends_with("times the hardware")) {
            more.push_back(fix.sideEffect);
        }
    }
    EXPECT_EQ(more, std::vector<std::string>{"4 times the hardware"}) << "8 times is too";
}

/// One GPU of a box is no whole node: more of it are more GPUs, whose number is said as it was.
TEST(PlanStudy, OffersMoreGpusWhereTheirNumberWasTyped) {
    const Question question =
        asked({{"model", "llama-3.2-1b", "-m"}, {"cluster.gpus", "1", "--gpus"}});
    const PlanReport report = planned(question, {"tokens-per-s=1M"});
    ASSERT_TRUE(report.fixes);
    bool offersMore = false;
    for (const PlanFix& fix : report.fixes->fixes) {
        EXPECT_EQ(fix.typed.find("-n "), std::string::npos) << fix.typed;
        const auto more = std::ranges::find(fix.edits, "cluster.gpus", &Edit::path);
        if (more != fix.edits.end()) {
            offersMore = true;
            EXPECT_NE(fix.sideEffect.find(more->value + " times the hardware"), std::string::npos)
                << fix.typed << ": " << fix.sideEffect;
            EXPECT_TRUE(with(question, fix.edits)) << fix.typed;
        }
    }
    EXPECT_TRUE(offersMore);
}

/// Three ranks hold three stages where a batch of 16 does not divide over three copies.
TEST(PlanStudy, AsksEveryStackThatTrainsAdapters) {
    const std::vector<Edit> edits = {{"model", "llama-3.1-8b", "-m"},
                                     {"cluster.gpu", "rtx-4090", "--gpu"},
                                     {"cluster.gpus", "3", "--gpus"},
                                     {"workload.sequence", "2048", "--seq"},
                                     {"workload.global_batch", "16", "--global-batch"},
                                     {"settings.tuning", "lora", "--set"}};
    const PlanReport report = planned(with(readQuestion("", "").value(), edits).value());
    ASSERT_FALSE(report.plans.empty());
    EXPECT_EQ(report.plans.front().scenario.stack, "torchtitan");
    EXPECT_EQ(report.plans.front().scenario.layout.pp, 3);
}

std::string hintOf(const std::vector<Edit>& more) {
    const Question question = asked(more);
    const Result<void> checked = checkAnyLayout(planned(question), question, bench());
    return checked ? "" : checked.error().hint;
}

TEST(PlanStudy, NamesTheBatchesThatHaveALayout) {
    EXPECT_EQ(hintOf({{"workload.global_batch", "30", "--global-batch"}}),
              "a global batch of 24 or 32, or 6 of the 8 GPUs");
    EXPECT_EQ(hintOf({{"workload.global_batch", "7", "--global-batch"}}),
              "a global batch of 8, or 7 of the 8 GPUs");
    EXPECT_EQ(hintOf({{"workload.global_batch", "30", "--global-batch"},
                      {"layout.recompute", "full", "--fix"}}),
              "--set layout.recompute=null, or a global batch of 24 or 32, or 6 of the 8 GPUs");
    EXPECT_EQ(hintOf({{"layout.shard", "zero1", "--fix"}}), "--set layout.shard=null");
    EXPECT_EQ(hintOf({}), "");
}

/// All changes that are tried share the walks of one search. What is left out is said.
TEST(PlanStudy, SharesTheWalksOfWhatWouldHelp) {
    const Question question = asked({{"model", "glm-4.5", "-m"},
                                     {"cluster.name", "hgx-a100-40gb", "-c"},
                                     {"cluster.nodes", "2", "-n"},
                                     {"workload.global_batch", "512", "--global-batch"},
                                     {"workload.tokens", "100B", "--tokens"},
                                     {"search.stacks", "megatron", "--stack"},
                                     {"search.objective", "gpus", "--objective"}});
    const PlanReport report = planned(question);
    ASSERT_TRUE(report.plans.empty());
    ASSERT_TRUE(report.fixes);
    EXPECT_FALSE(report.fixes->fixes.empty());
    EXPECT_TRUE(report.cutShort.starts_with("of what would help ")) << report.cutShort;
}

/// Ctrl-C after the first plan: it is the answer.
TEST(PlanStudy, HasWhatItFoundWhenItIsStopped) {
    std::stop_source stop;
    PlanAsk ask;
    ask.onPlan = [&stop](std::span<const Plan>) { stop.request_stop(); };
    const Question question = asked({{"search.top", "5", "--top"}});
    const Result<PlanReport> report = plan(question, ask, bench(), {.stop = stop.get_token()});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->stopped);
    EXPECT_FALSE(report->plans.empty());
    EXPECT_TRUE(report->plans.front().cost);
    EXPECT_FALSE(plan(question, {}, bench(), {.stop = stop.get_token()}));
}

TEST(PlanStudy, OfOneGpuAsksForThePartOfTheCluster) {
    const Question question = asked({{"search.objective", "gpus", "--objective"}});
    const PlanReport report = planned(question);
    ASSERT_FALSE(report.plans.empty());
    const Scenario& best = report.plans.front().scenario;
    ASSERT_LT(best.layout.world(), 8);
    const Question about = questionAbout(question, report.question, best).value();
    const std::string gpus = " --gpus " + std::to_string(best.layout.world());
    EXPECT_NE(typed(about).find(gpus), std::string::npos) << typed(about);
    EXPECT_EQ(typed(about).find("--objective"), std::string::npos);
    const auto loaded = loadScenario(about.root, bench().profiles(), about.folders);
    ASSERT_TRUE(loaded) << loaded.error().text();
    EXPECT_EQ(loaded->scenario.layout, best.layout);
}

TEST(PlanStudy, TheSensitivityIsSearchedByTheSameRule) {
    const Question question = asked({{"search.objective", "gpus", "--objective"}});
    const PlanReport report = plan(question, {.sensitivity = true}, bench(), {}).value();
    ASSERT_TRUE(report.sensitivity);
    for (const KnobEffect& knob : report.sensitivity->knobs) {
        // The fewest GPUs stay the answer: a faster GPU needs no more of them.
        if (knob.searched && knob.key == "matrix_rate") {
            EXPECT_LE(knob.searched->step, report.sensitivity->now.step);
        }
    }
}

TEST(PlanStudy, ReadsItsSearchFromTheQuestion) {
    const auto where = [](const std::vector<Edit>& edits) {
        const auto report = plan(asked(edits), {}, bench(), {});
        return report ? std::string() : report.error().where;
    };
    EXPECT_EQ(where({{"search.objective", "speed", "--objective"}}), "--objective");
    EXPECT_EQ(where({{"search.forbid", "tq", "--forbid"}}), "--forbid");
    EXPECT_EQ(where({{"search.allow", "sleep", "--allow"}}), "--allow");
    EXPECT_EQ(where({{"search.top", "0", "--top"}}), "--top");
    EXPECT_EQ(where({{"search.depth", "3", "--set"}}), "--set search.depth");
}

TEST(PlanStudy, SaysThatTheLayoutOfALaunchFileIsHeld) {
    const Question launched =
        parseQuestion(
            "#!/bin/bash\ntorchrun --nproc_per_node 8 --nnodes 1 pretrain_gpt.py --num-layers 12 "
            "--hidden-size 768 --ffn-hidden-size 3072 --num-attention-heads 12 --seq-length 1024 "
            "--swiglu --normalization RMSNorm --disable-bias-linear --position-embedding-type rope "
            "--untie-embeddings-and-output-weights --tokenizer-type NullTokenizer "
            "--max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 64 "
            "--vocab-size 32000 --tensor-model-parallel-size 2 --bf16\n",
            "pretrain.sh",
            {})
            .value();
    const Question boxed =
        with(launched, std::vector<Edit>{{"cluster.name", "dgx-h100", "-c"}}).value();
    const auto held = [](const PlanReport& report) {
        return std::ranges::any_of(report.notes, [](const std::string& note) {
            return note.starts_with("layout held") && note.find("tp=2") != std::string::npos;
        });
    };
    const PlanReport report = planned(boxed);
    EXPECT_TRUE(held(report));
    const PlanReport open =
        planned(with(boxed, std::vector<Edit>{{"layout", "null", "--set"}}).value());
    EXPECT_FALSE(held(open));
    EXPECT_GT(open.feasible, report.feasible);
}

TEST(PlanStudy, CanBeStopped) {
    std::stop_source source;
    source.request_stop();
    const auto report = plan(asked({}), {}, bench(), {.stop = source.get_token()});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Error::Code::Stopped);
}

}  // namespace plan_test
}  // namespace fabricast
