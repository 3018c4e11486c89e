#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace fabricast {
namespace explain_time_test {

/// A pipeline with tensor parallelism on two nodes: every usual kind of call.
ProgramOutput explain(const std::vector<std::string>& more) {
    return ran(
        "explain -m llama-3.1-8b -c dgx-h100 -n 2 --stack megatron "
        "--layout tp=2,pp=2,shard=zero1 --seq 8192 --global-batch 64",
        more);
}

JsonValue documentOf(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--format", "json"});
    const ProgramOutput output = explain(arguments);
    EXPECT_EQ(output.err, "");
    return jsonOf(output.out);
}

/// Experts in a pipeline: what others hide behind other microbatches is counted.
TEST(ExplainTime, SaysThatAllToAllsOfExpertsAreExposed) {
    const std::string run =
        " -m mixtral-8x7b -c dgx-h100 -n 4 --stack megatron --global-batch 32 --layout ";
    const std::string note =
        "assumed: all-to-alls of experts are counted as exposed: DualPipe's hiding of them behind "
        "other microbatches is not modelled";
    const std::string explained = ran("explain" + run + "pp=4,ep=8 --section time").out;
    EXPECT_NE(explained.find(note), std::string::npos) << explained;
    const std::string planned = ran("plan" + run + "tp=1,pp=4,ep=8 --top 1").out;
    EXPECT_NE(planned.find(note), std::string::npos) << planned;
    const std::string flat = ran("explain" + run + "ep=8 --section time").out;
    EXPECT_EQ(flat.find(note), std::string::npos) << flat;
    const std::string hidden =
        ran("explain" + run +
            "pp=4,vpp=2,ep=8 --section time --set settings.megatron.expert_overlap=true")
            .out;
    EXPECT_EQ(hidden.find(note), std::string::npos) << hidden;
    EXPECT_NE(hidden.find("STEP"), std::string::npos) << hidden;
}

TEST(ExplainTime, PartsSumToTheStepAndRatesFollow) {
    const JsonValue root = documentOf({"--section", "time"});
    EXPECT_EQ(root.find("verdict")->text(), "fits");
    const JsonValue& time = *root.find("time");
    const JsonValue& step = *time.find("step_s");
    const double seconds = numberOf(step, "value");
    EXPECT_LT(numberOf(step, "lo"), seconds);
    EXPECT_LT(seconds, numberOf(step, "hi"));
    EXPECT_EQ(step.find("evidence")->text(), "modelled");
    double sum = 0.0;
    for (const JsonValue& part : time.find("parts")->members()) {
        sum += part.number(-1e-9, 1e9).value_or(-1.0);
    }
    EXPECT_NEAR(sum, seconds, 1e-9 * seconds);
    EXPECT_NEAR(numberOf(time, "tokens_per_s_gpu"), 64.0 * 8192.0 / seconds / 16.0, 1e-3);
    EXPECT_NEAR(numberOf(time, "mfu"),
                numberOf(time, "flops_per_token") * numberOf(time, "tokens_per_s_gpu") /
                    numberOf(time, "peak_flops_per_s"),
                1e-9);
    EXPECT_GE(numberOf(time, "stage"), 0.0);
    EXPECT_LT(numberOf(time, "stage"), 2.0);
}

// A rank of four stages waits for what the others send each other first, as `simulate` has it too.
TEST(ExplainTime, SaysWhyAPipelineExposesMoreThanItsCalls) {
    const std::string waits = "pipeline: exposed includes waiting for transfers";
    const std::string slow = ran("explain -m mixtral-8x7b -c dgx-h100 -n 4 --fabric tcp-25 "
                                 "--stack megatron --layout ep=8,pp=4 --section comm")
                                 .out;
    EXPECT_NE(slow.find(waits), std::string::npos) << slow;
    EXPECT_EQ(explain({"--section", "comm"}).out.find(waits), std::string::npos);
}

// They are sent among data parallel ranks: nothing of a layer is split.
TEST(ExplainTime, BuffersThatDdpSendsAreNotTensorParallel) {
    const ProgramOutput output =
        ran("explain -m llama-3.2-1b -c dgx-h100 --stack ddp --section all -f json");
    const JsonValue root = jsonOf(output.out);
    EXPECT_EQ(numberOf(*root.find("time")->find("parts"), "tensor_s"), 0.0);
    for (const JsonValue& line : root.find("comm")->items()) {
        EXPECT_EQ(textOf(line, "part"), "shard") << textOf(line, "collective");
    }
    EXPECT_NE(output.out.find("\"broadcast\""), std::string::npos);
}

TEST(ExplainTime, ExposedSecondsOfCallsSumToTheirParts) {
    const JsonValue root = documentOf({"--section", "all"});
    EXPECT_EQ(root.find("verdict")->text(), "fits");
    EXPECT_TRUE(root.find("memory"));
    std::map<std::string, double> exposed;
    std::set<std::string> axes;
    std::set<std::string> fabrics;
    for (const JsonValue& line : root.find("comm")->items()) {
        exposed[line.find("part")->text().value_or("")] += numberOf(line, "exposed_seconds");
        axes.insert(line.find("axis")->text().value_or(""));
        fabrics.insert(line.find("fabric")->text().value_or(""));
        EXPECT_GT(numberOf(line, "bytes"), 0.0);
        EXPECT_GT(numberOf(line, "count"), 0.0);
        EXPECT_GT(numberOf(line, "group_size"), 1.0);
    }
    const JsonValue& parts = *root.find("time")->find("parts");
    for (const char* part : {"tensor", "shard", "stage"}) {
        EXPECT_NEAR(exposed[part], numberOf(parts, std::string(part) + "_s"), 1e-9) << part;
        EXPECT_GT(exposed[part], 0.0) << part;
    }
    EXPECT_TRUE(axes.contains("tp"));
    EXPECT_TRUE(axes.contains("pp"));
    EXPECT_EQ(fabrics, (std::set<std::string>{"ib-ndr", "nvlink4"}));
}

TEST(ExplainTime, IsNotInTheAnswerAboutMemory) {
    const JsonValue root = documentOf({});
    EXPECT_TRUE(root.find("memory"));
    EXPECT_FALSE(root.find("time"));
    EXPECT_FALSE(root.find("comm"));
    EXPECT_FALSE(documentOf({"--section", "comm"}).find("time"));
    EXPECT_TRUE(documentOf({"--why", "time.gemm"}).find("time"));
}

TEST(ExplainTime, LooksAsItLooks) {
    const auto shape = [](const std::string& text) {
        return text.substr(0, text.find("  ", text.find("  ") + 1));
    };
    const ProgramOutput time = explain({"--section", "time"});
    EXPECT_EQ(time.code, ExitCode::Ok);
    EXPECT_EQ(shape(time.out), "FITS  STEP");
    EXPECT_EQ(shape(explain({"--section", "comm"}).out), "FITS  COMMUNICATION");
    const std::string all = explain({"--section", "all"}).out;
    EXPECT_LT(all.find("FITS"), all.find("\nSTEP"));
    EXPECT_LT(all.find("\nSTEP"), all.find("\nCOMMUNICATION"));
    const std::string subject = "\n  llama-3.1-8b on 2 x dgx-h100";
    EXPECT_NE(all.find(subject), std::string::npos);
    EXPECT_EQ(all.find(subject), all.rfind(subject));
    EXPECT_TRUE(explain({"--section", "all", "-f", "md"}).out.starts_with("**FITS**"));
    EXPECT_TRUE(
        explain({"--section", "time", "-f", "csv"}).out.starts_with("part,seconds,share\n"));
    EXPECT_TRUE(explain({"--section", "comm", "-f", "csv"}).out.starts_with("axis,use,fabric,"));
}

TEST(ExplainTime, WhyOpensItsNumbers) {
    const ProgramOutput why = explain({"--why", "time.gemm", "--why", "time.step"});
    EXPECT_EQ(why.code, ExitCode::Ok);
    EXPECT_TRUE(why.out.starts_with("time.gemm = ")) << why.out;
    EXPECT_NE(why.out.find("microbatches x ("), std::string::npos) << why.out;
    const ProgramOutput unknown = explain({"--why", "time.gems"});
    EXPECT_EQ(unknown.code, ExitCode::BadInput);
    EXPECT_NE(unknown.err.find("try: one of: time.step"), std::string::npos) << unknown.err;
    EXPECT_EQ(explain({"--why", "time.gemm", "--why", "activations"}).err, "");
}

TEST(ExplainTime, WhatItSaysIsFasterIsFaster) {
    const JsonValue time = *documentOf({"--section", "time"}).find("time");
    const JsonValue* faster = time.find("faster");
    ASSERT_NE(faster, nullptr);
    const std::string set = faster->find("set")->text().value_or("");
    const double promised = numberOf(*faster->find("step_s"), "value");
    EXPECT_LT(promised, numberOf(*time.find("step_s"), "value"));
    const JsonValue again = documentOf({"--section", "all", "--set", set});
    EXPECT_EQ(numberOf(*again.find("time")->find("step_s"), "value"), promised);
    EXPECT_EQ(again.find("verdict")->text(), faster->find("verdict")->text().value_or(""));
    const std::string text = explain({"--section", "time"}).out;
    EXPECT_NE(text.find("\nfaster: --set " + set + ": "), std::string::npos) << text;
    // The command that shows it: layout keys are typed with --layout.
    const std::string key = set.substr(set.find('.') + 1);
    const std::size_t next = text.find("\nnext: fabricast explain ");
    ASSERT_NE(next, std::string::npos) << text;
    EXPECT_NE(text.find(key, next), std::string::npos) << text;
    EXPECT_EQ(explain({"--section", "time", "-q"}).out.find("faster"), std::string::npos);
}

TEST(ExplainTime, MemoryDecidesTheExitStatusOfEverySection) {
    const std::vector<std::string> tooLong = {"--seq", "131072", "--section"};
    const auto code = [&](const char* section) {
        std::vector<std::string> arguments = {"explain", "-m", "llama-3.1-8b", "-c", "dgx-h100"};
        arguments.insert(arguments.end(), tooLong.begin(), tooLong.end());
        arguments.insert(arguments.end(), {section, "--layout", "recompute=none"});
        return runProgram(arguments, {}).code;
    };
    EXPECT_EQ(code("time"), ExitCode::DoesNotFit);
    EXPECT_EQ(code("comm"), ExitCode::DoesNotFit);
    EXPECT_EQ(code("all"), ExitCode::DoesNotFit);
}

TEST(ExplainTime, RefusesWhatItCannotAnswer) {
    const ProgramOutput csv = explain({"--section", "all", "--format", "csv"});
    EXPECT_EQ(csv.code, ExitCode::BadInput);
    EXPECT_TRUE(csv.err.starts_with("error: --section: csv holds one table\n")) << csv.err;
    const ProgramOutput gaudi = runProgram({"explain",
                                            "-m",
                                            "gpt2",
                                            "--gpu",
                                            "gaudi3",
                                            "--gpus",
                                            "1",
                                            "--stack",
                                            "ddp",
                                            "--section",
                                            "time"},
                                           {});
    EXPECT_EQ(gaudi.code, ExitCode::BadInput);
    EXPECT_NE(gaudi.err.find("gaudi3"), std::string::npos) << gaudi.err;
    const ProgramOutput order = runProgram({"explain",
                                            "-m",
                                            "llama-3.1-8b",
                                            "-c",
                                            "dgx-h100",
                                            "--stack",
                                            "torchtitan",
                                            "--layout",
                                            "pp=4,schedule=1f1b",
                                            "--global-batch",
                                            "6",
                                            "--section",
                                            "time"},
                                           {});
    EXPECT_EQ(order.code, ExitCode::BadInput);
    EXPECT_NE(order.err.find("Number of microbatches (3)"), std::string::npos) << order.err;
    EXPECT_NE(order.err.find("try: --global-batch 8 (4 microbatches)"), std::string::npos)
        << order.err;
}

TEST(ExplainTime, WhyOpensACommunicationPartToItsCalls) {
    const std::string out =
        ran("explain -m llama-3.1-70b -c dgx-h100 -n 4 --stack torchtitan --seq 8192 "
            "--layout tp=8,recompute=full --why time.tensor")
            .out;
    const double part = std::stod(out.substr(out.find("= ") + 2));
    double exposed = 0.0;
    int calls = 0;
    for (std::size_t at = out.find("in all, "); at != std::string::npos;
         at = out.find("in all, ", at + 1)) {
        exposed += std::stod(out.substr(at + 8));
        ++calls;
    }
    EXPECT_EQ(calls, 3) << out;
    EXPECT_NEAR(exposed, part, 1e-5 * part) << out;
    EXPECT_NE(out.find("482 x all_gather of activations along tp, 128 MiB each"), std::string::npos)
        << out;
}

}  // namespace explain_time_test
}  // namespace fabricast
