#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {
namespace advise_rows_test {

const std::string kQuestion = "-m llama-3.1-8b -c 8x-rtx-5090 --seq 4096 --global-batch 64 ";

/// The row of a way to train; an empty value where there is none.
JsonValue rowOf(const JsonValue& advice, const std::string& key) {
    for (const JsonValue& step : advice.find("steps")->items()) {
        if (textOf(step, "key") == key) {
            return step;
        }
    }
    return {};
}

TEST(AdviseRows, AreWhatPlanListsFirstForTheirStack) {
    const JsonValue advice = jsonOf(ran("advise -f json " + kQuestion).out);
    for (const std::string stack : {"torchtitan", "megatron"}) {
        const JsonValue row = rowOf(advice, stack);
        const JsonValue plans =
            jsonOf(ran("plan --top 1 -f json " + kQuestion + "--stack " + stack).out);
        ASSERT_NE(row.find("plan"), nullptr) << stack;
        ASSERT_NE(row.find("plan")->find("step_s"), nullptr) << stack;
        EXPECT_EQ(numberOf(*row.find("plan")->find("step_s"), "value"),
                  numberOf(plans.find("plans")->items()[0], "step_s"))
            << stack;
    }
}

/// The fastest of its rows that surely fit.
double fastestRow(const JsonValue& advice) {
    double fastest = 1e300;
    for (const JsonValue& step : advice.find("steps")->items()) {
        const JsonValue* plan = step.find("plan");
        const JsonValue* seconds = plan == nullptr ? nullptr : plan->find("step_s");
        if (seconds != nullptr && textOf(*plan->find("memory"), "verdict") == "fits") {
            fastest = std::min(fastest, numberOf(*seconds, "value"));
        }
    }
    return fastest;
}

// Experts over torchtitan too, and ZeRO without offload.
TEST(AdviseRows, NothingThatPlanListsFirstIsFasterThanAllOfThem) {
    const std::string experts = "-m mixtral-8x7b -c dgx-h100 -n 4 --seq 8192 --global-batch 256 ";
    const std::string dense = "-m llama-3.1-8b -c dgx-h100 --seq 8192 --global-batch 64 ";
    for (const auto& [question, stack] : {std::pair(experts, "torchtitan"),
                                          std::pair(dense, "deepspeed"),
                                          std::pair(dense, "torchtitan")}) {
        const std::string same = question + "--set search.stacks=" + stack;
        const JsonValue plans = jsonOf(ran("plan --top 1 -f json " + same).out);
        EXPECT_LE(fastestRow(jsonOf(ran("advise -f json " + same).out)),
                  numberOf(plans.find("plans")->items()[0], "step_s") * 1.0001)
            << same;
    }
}

// Adapters are of torchtitan 0.3.0 and its configs: what is no such plan is no row.
TEST(AdviseRows, OfAdaptersOverTorchtitanAreWrittenAndReadBack) {
    for (const auto& [model, isThere] : {std::pair("llama-3.1-8b", true),
                                         std::pair("qwen3-30b-a3b", true),
                                         std::pair("qwen3-8b", false)}) {
        const std::string question = std::string("-m ") + model + " -c dgx-h100 --tuning lora ";
        const JsonValue row = rowOf(jsonOf(ran("advise -f json " + question).out), "torchtitan");
        const JsonValue* const plan = row.find("plan");
        ASSERT_EQ(plan != nullptr && plan->find("stack") != nullptr, isThere) << model;
        const ProgramOutput emitted = ran("emit --check --stack torchtitan --no-fail " + question);
        EXPECT_EQ(emitted.out.find("\ncheck: read back as the same plan\n") != std::string::npos,
                  isThere)
            << emitted.out << emitted.err;
    }
}

/// How much slower than the best plan of the same question the recommended one is: 0.1 is 10 %.
double behindPlan(const std::string& question) {
    const JsonValue advice = jsonOf(ran("advise -f json " + question).out);
    const JsonValue plans = jsonOf(ran("plan --top 1 -f json " + question).out);
    return numberOf(*advice.find("recommended")->find("step_s"), "value") /
               numberOf(plans.find("plans")->items()[0], "step_s") -
           1.0;
}

// Axolotl splits sequences beside adapters, and frozen weights come from the host at little cost:
// what `plan` searches is among the ways of `advise`.
TEST(AdviseRows, HaveWhatASearchOfAdaptersHas) {
    for (const std::string question : {"-m llama-3.1-70b -c dgx-h100 --tuning lora",
                                       "-m qwen2.5-32b -c dgx-h100 --tuning lora",
                                       "-m gemma-3-27b --gpu rtx-4090 --gpus 1 --tuning qlora"}) {
        EXPECT_LE(behindPlan(question), 0.16) << question;
    }
}

// The rows of adapters ask whom `plan` of adapters asks; stages that buy less than a forecast can
// tell are not among their best.
TEST(AdviseRows, OfAdaptersHaveTheStacksOfASearchOfThem) {
    for (const std::string tuning : {"lora", "qlora"}) {
        const std::string question = "-m llama-3.1-8b -c 4x-rtx-4090 --seq 2048 --global-batch 16";
        const JsonValue row = rowOf(jsonOf(ran("advise -f json " + question).out), tuning);
        const JsonValue plans =
            jsonOf(ran("plan --top 1 -f json --forbid pp " + question + " --tuning " + tuning).out);
        EXPECT_LE(numberOf(*row.find("plan")->find("step_s"), "value"),
                  numberOf(plans.find("plans")->items()[0], "step_s") * 1.0001)
            << tuning;
        const JsonValue named =
            jsonOf(ran("advise -f json " + question + " --set search.stacks=deepspeed").out);
        EXPECT_EQ(textOf(*rowOf(named, tuning).find("plan"), "stack"), "deepspeed");
    }
}

// States in host memory are a row of their own, whatever has them there.
TEST(AdviseRows, OnlyTheRowOfOffloadKeepsStatesOnTheHost) {
    const std::string question =
        "-m llama-3.1-70b -c dgx-h100 -n 2 --seq 4096 --global-batch 64 --tuning lora";
    const ProgramOutput text = ran("advise " + question);
    const JsonValue advice = jsonOf(ran("advise -f json " + question).out);
    for (const JsonValue& step : advice.find("steps")->items()) {
        const JsonValue* plan = step.find("plan");
        const JsonValue* layout = plan == nullptr ? nullptr : plan->find("layout");
        if (layout != nullptr) {
            EXPECT_EQ(textOf(*layout, "offload") != "none", textOf(step, "key") == "offload");
        }
    }
    // What is recommended says what it needs of the host, and how well its time is known.
    const bool isOffered = text.out.find(",offload=") < text.out.find('\n');
    EXPECT_EQ(text.out.find("\noffload: host memory per node: ") != std::string::npos, isOffered)
        << text.out;
    EXPECT_EQ(text.out.find("accurate to a factor of two") != std::string::npos, isOffered);
}

// Twice the GPUs: full training may fit there with the host's help; adapters surely do, as before.
TEST(AdviseRows, ASituationHasWhatSurelyFitsThereToo) {
    const std::string question =
        "-m llama-3.1-8b --gpu rtx-4070 --seq 2048 --global-batch 16 --gpus ";
    const JsonValue advice = jsonOf(ran("advise -f json " + question + "1").out);
    const JsonValue& twice = advice.find("changes")->items()[0];
    ASSERT_EQ(textOf(twice, "change"), "twice the GPUs");
    EXPECT_EQ(textOf(twice, "key"), "qlora");
}

// A pipeline of DeepSpeed's is a model written anew: no simpler way than others, and no ZeRO alone.
TEST(AdviseRows, PipelinesOfDeepSpeedAreARowOfTheirOwn) {
    const JsonValue advice = jsonOf(
        ran("advise -f json -m llama-3.2-1b -c 4x-rtx-4090 --seq 4096 --global-batch 32").out);
    for (const auto& [key, isPipeline] : {std::pair("deepspeed", false), {"pipeline", true}}) {
        const JsonValue row = rowOf(advice, key);
        ASSERT_NE(row.find("plan"), nullptr) << key;
        EXPECT_EQ(numberOf(*row.find("plan")->find("layout"), "pp") > 1, isPipeline) << key;
    }
}

// No work is left for what stands last: what changes most stands first.
TEST(AdviseRows, LocalStepsAreTheFirstSituationOfSeveralSites) {
    const std::string text =
        ran("advise -m llama-3.2-1b -c 4x-rtx-4090 -n 2 --sites 2 --wan 1Gbps --wan-latency 10ms "
            "--seq 4096 --global-batch 32")
            .out;
    const std::size_t local = text.find("local SGD (settings.outer.steps=100)");
    ASSERT_NE(local, std::string::npos) << text;
    EXPECT_LT(local, text.find("twice the GPUs")) << text;
}

// What 4 bits leave out is said of the rows of adapters too.
// What cannot be told apart is as simple as it gets within a row, too.
TEST(AdviseRows, OfAdaptersHaveNoStagesThatBuyNothing) {
    const ProgramOutput server = ran("advise -m llama-3.1-8b -c dgx-h100 --tuning lora");
    EXPECT_EQ(server.out.find("zb_v"), std::string::npos) << server.out;
    EXPECT_EQ(server.out.find("pp=2"), std::string::npos) << server.out;
    const ProgramOutput small =
        ran("advise -m llama-3.2-3b --gpu rtx-3060 --gpus 1 --seq 4096 --global-batch 16");
    EXPECT_TRUE(small.out.starts_with("ADVICE  qlora: axolotl dp=1,shard=none,recompute=full"))
        << small.out;
}

TEST(AdviseRows, SaysWhatTheRowsOfAdaptersAssume) {
    const std::string text =
        ran("advise -m mixtral-8x7b -c dgx-h100 --seq 4096 --global-batch 32").out;
    ASSERT_EQ(text.find("lora, qlora (not needed"), std::string::npos) << text;
    EXPECT_NE(text.find("experts and router are no nn.Linear"), std::string::npos) << text;
}

// Neither memory nor more GPUs help where the batch does not divide.
TEST(AdviseRows, ABatchThatDoesNotDivideIsNamed) {
    const std::string question =
        "-m llama-3.1-8b --gpu rtx-4090 --gpus 3 --seq 2048 --tuning qlora --global-batch ";
    const std::string way = "a global batch of 15 or 18, or 2 of the 3 GPUs";
    const ProgramOutput advised = ran("advise " + question + "16");
    EXPECT_TRUE(
        advised.out.starts_with("ADVICE  no way to train has a layout here; try " + way + "\n"))
        << advised.out;
    EXPECT_EQ(advised.out.find("nothing surely fits"), std::string::npos) << advised.out;
    const ProgramOutput planned = ran("plan " + question + "16");
    EXPECT_NE(planned.err.find("no layout of 3 GPUs has a dp that divides a global batch of 16"),
              std::string::npos)
        << planned.err;
    EXPECT_NE(planned.err.find("try: " + way + "\n"), std::string::npos) << planned.err;
    EXPECT_TRUE(ran("plan " + question + "15").out.find("FITS") != std::string::npos);
}

// Full training is left out here: of the two that fit with help from the host, it costs too much.
TEST(AdviseRows, AdaptersTooMayLieInHostMemory) {
    const std::string question =
        "-m gemma-3-27b --gpu rtx-4090 --gpus 1 --set search.stacks=axolotl ";
    const JsonValue advice = jsonOf(ran("advise -f json " + question).out);
    const JsonValue plans = jsonOf(ran("plan --top 1 -f json --tuning qlora " + question).out);
    const JsonValue qlora = rowOf(advice, "qlora");
    ASSERT_NE(qlora.find("plan")->find("step_s"), nullptr);
    EXPECT_EQ(numberOf(*qlora.find("plan")->find("step_s"), "value"),
              numberOf(plans.find("plans")->items()[0], "step_s"));
}

// Many layouts that may fit come before the first that surely does: the way is searched until then.
TEST(AdviseRows, WhatSurelyFitsRepresentsItsWayHoweverManyMayFit) {
    for (const auto& [question, stack, key] :
         {std::tuple("-m qwen2.5-32b -c dgx-h100 --seq 4096 --global-batch 32 ",
                     "torchtitan",
                     "torchtitan"),
          std::tuple("-m gpt-oss-120b -c dgx-h200 -n 2 --seq 4096 --global-batch 64 ",
                     "torchtitan",
                     "experts")}) {
        const std::string same = std::string(question) + "--set search.stacks=" + stack;
        const JsonValue plans = jsonOf(ran("plan --top 1 -f json " + same).out);
        const JsonValue advice = jsonOf(ran("advise -f json " + same).out);
        EXPECT_EQ(textOf(advice, "verdict"), "fits") << same;
        const JsonValue row = rowOf(advice, key);
        ASSERT_NE(row.find("plan"), nullptr) << same;
        EXPECT_EQ(numberOf(*row.find("plan")->find("step_s"), "value"),
                  numberOf(plans.find("plans")->items()[0], "step_s"))
            << same;
    }
}

TEST(AdviseRows, WhatMayFitIsNotRecommendedOverWhatFits) {
    const JsonValue advice =
        jsonOf(ran("advise -f json -m qwen2.5-7b -c 8x-rtx-5090 --gpus 4 --seq 2048 "
                   "--global-batch 64 --set search.stacks=torchtitan")
                   .out);
    const JsonValue torchtitan = rowOf(advice, "torchtitan");
    EXPECT_EQ(textOf(*torchtitan.find("plan")->find("memory"), "verdict"), "likely");
    EXPECT_EQ(textOf(*advice.find("recommended"), "key"), "offload");
}

// Half of these GPUs leave torchtitan what may fit: offload, which surely does, is the answer.
TEST(AdviseRows, EverySituationIsHeldToHowSurelyTheQuestionFits) {
    const JsonValue advice = jsonOf(
        ran("advise -f json -m llama-3.1-70b -c dgx-h100 -n 4 --seq 8192 --global-batch 64").out);
    std::size_t plans = 0;
    for (const JsonValue& change : advice.find("changes")->items()) {
        const JsonValue* plan = change.find("plan");
        const JsonValue* memory = plan == nullptr ? nullptr : plan->find("memory");
        if (memory != nullptr) {
            EXPECT_EQ(textOf(*memory, "verdict"), "fits") << textOf(change, "change");
            ++plans;
        }
    }
    EXPECT_GE(plans, 4U);
}

TEST(AdviseRows, ATensorSplitWiderThanTheMlpIsNoLayout) {
    const std::string config = tempFolder() + "narrow.json";
    ASSERT_TRUE(writeTextFile(config,
                              R"({"model_type": "llama", "hidden_size": 4096,
        "num_hidden_layers": 4, "num_attention_heads": 32, "num_key_value_heads": 8,
        "intermediate_size": 1, "vocab_size": 1024})"));
    const std::string asked = " -m " + config + " -c dgx-h100 --stack torchtitan ";
    EXPECT_EQ(ran("plan" + asked).code, ExitCode::Ok);
    EXPECT_EQ(ran("explain --section time" + asked).code, ExitCode::Ok);
    const ProgramOutput split = ran("explain --layout tp=8" + asked);
    EXPECT_EQ(split.code, ExitCode::BadInput);
    EXPECT_NE(split.err.find("8 ranks cannot share an MLP of width 1"), std::string::npos)
        << split.err;
}

}  // namespace advise_rows_test
}  // namespace fabricast
