#include "cli/run_program.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

ProgramOutput adviceOn(const Words& words) {
    return runProgram(words, {});
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

// Boxes without NICs: more of them is no situation, and no error of one box.
TEST(AdviseEdges, MoreBoxesWithoutANetworkAreNoSituation) {
    const ProgramOutput output = adviceOn({"advise",
                                           "-m",
                                           "llama-3.2-1b",
                                           "--gpu",
                                           "rtx-5080",
                                           "--gpus",
                                           "8",
                                           "--seq",
                                           "1024",
                                           "--global-batch",
                                           "16"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_FALSE(has(output.out, "twice the GPUs")) << output.out;
    EXPECT_TRUE(has(output.out, "half the GPUs")) << output.out;
}

TEST(AdviseEdges, OffloadIsTriedInEveryStackThatHasIt) {
    const ProgramOutput output =
        adviceOn({"advise", "-m", "deepseek-v2-lite", "--gpu", "h100", "--gpus", "1"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.out << output.err;
    EXPECT_TRUE(has(output.out, "ADVICE  deepspeed ")) << output.out;
    EXPECT_TRUE(has(output.out, "offload=parameters_cpu")) << output.out;
    EXPECT_FALSE(has(output.out, "no layout was found")) << output.out;
    EXPECT_TRUE(has(output.out, "experts, context, ulysses (nothing to divide on one GPU)"))
        << output.out;
}

// The pipelines that this batch leaves are refused; it is the batch that leaves no others.
TEST(AdviseEdges, ABatchThatLeavesOnlyWhatIsRefusedIsTheReason) {
    const ProgramOutput output = adviceOn({"advise",
                                           "-m",
                                           "qwen3-8b",
                                           "-c",
                                           "dgx-h100",
                                           "-n",
                                           "3",
                                           "--global-batch",
                                           "100",
                                           "--seq",
                                           "8192"});
    EXPECT_TRUE(has(output.out,
                    "no layout of 24 GPUs that deepspeed takes has a dp that divides a global "
                    "batch of 100"))
        << output.out << output.err;
    EXPECT_FALSE(has(output.out, "incompatible with pipeline")) << output.out;
}

// Over one rank nothing is sharded.
TEST(AdviseEdges, OneGpuShardsOnlyWhatDoesNotFitWhole) {
    const auto advised = [](const std::string& sequence) {
        return adviceOn({"advise",
                         "-m",
                         "llama-3.2-3b",
                         "--gpu",
                         "a100",
                         "--gpus",
                         "1",
                         "--tuning",
                         "lora",
                         "--seq",
                         sequence})
            .out;
    };
    const std::string fits = advised("2048");
    EXPECT_TRUE(has(fits, "ADVICE  ddp ")) << fits;
    EXPECT_TRUE(has(fits, "not evaluated: fsdp2 (nothing to divide on one GPU)")) << fits;
}

TEST(AdviseEdges, AdaptersThatAreAskedForAreNoOtherWay) {
    const auto advised = [](std::vector<std::string> more) {
        std::vector<std::string> all = {"advise", "-m", "llama-3.1-8b", "--gpu", "rtx-4090"};
        all.insert(all.end(), {"--gpus", "1"});
        all.insert(all.end(), more.begin(), more.end());
        return adviceOn(all).out;
    };
    const std::string quantized = advised({"--tuning", "qlora"});
    EXPECT_TRUE(has(quantized, "lora, qlora (asked of every way)")) << quantized;
    EXPECT_TRUE(has(quantized, "offload: states in host memory")) << quantized;
    const std::string adapted = advised({"--tuning", "lora", "--seq", "1024"});
    EXPECT_TRUE(has(adapted, "lora (asked of every way)")) << adapted;
    EXPECT_FALSE(has(adapted, "lora: adapters only, over bf16")) << adapted;
    EXPECT_FALSE(has(adapted, "full training fits")) << adapted;
}

TEST(AdviseEdges, AMaximumCostNeedsAPrice) {
    const ProgramOutput output = adviceOn({"advise",
                                           "-m",
                                           "gpt2",
                                           "--gpu",
                                           "gb300",
                                           "--gpus",
                                           "4",
                                           "--tokens",
                                           "1B",
                                           "--max-usd",
                                           "100"});
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
    EXPECT_TRUE(has(output.err, "error: --max-usd: on_demand price of gb300")) << output.err;
    EXPECT_TRUE(has(output.err, "--price 2.50")) << output.err;
}

// A mistyped last word is no reason for a model of another size.
TEST(AdviseEdges, AMistypedTuningKeepsTheSizeOfTheModel) {
    for (const char* typed : {"meta-llama/Llama-3.1-8B-Instruc", "Llama-3.1-8B-Instructt"}) {
        const ProgramOutput output = adviceOn({"explain", "-m", typed, "-c", "dgx-h100"});
        EXPECT_EQ(output.code, ExitCode::BadInput);
        EXPECT_TRUE(has(output.err, "did you mean \"llama-3.1-8b\"?")) << output.err;
    }
}

TEST(AdviseEdges, VerdictsAndPartsOfBoxesAreInWords) {
    const Words box = {"-m",
                       "llama-3.1-8b",
                       "-c",
                       "8x-rtx-4090",
                       "--gpus",
                       "1",
                       "--stack",
                       "ddp",
                       "--seq",
                       "4096",
                       "--global-batch",
                       "8"};
    Words words = {"simulate"};
    words.insert(words.end(), box.begin(), box.end());
    const ProgramOutput output = adviceOn(words);
    EXPECT_EQ(output.code, ExitCode::DoesNotFit);
    EXPECT_FALSE(has(output.out, "does_not_fit")) << output.out;
    EXPECT_TRUE(has(output.out, "on 1 rtx-4090, part of 1 x 8x-rtx-4090")) << output.out;
}

// Of NCCL a user could add a generation; of another library only memory is forecast.
TEST(AdviseEdges, AnotherVendorsLibraryIsNotToBeAddedToNccl) {
    const ProgramOutput output =
        adviceOn({"plan", "-m", "gpt2", "--gpu", "gaudi3", "--gpus", "8", "--stack", "ddp"});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_TRUE(has(output.err, "try: fabricast explain, whose memory")) << output.err;
}

// Inside a node nothing is sent once per node.
TEST(AdviseEdges, OncePerNodeIsNotOfferedInsideOne) {
    const Words question = {"plan",
                            "-m",
                            "mixtral-8x7b",
                            "-c",
                            "dgx-h200",
                            "--stack",
                            "megatron",
                            "--fix",
                            "ep=8",
                            "--top",
                            "1"};
    const ProgramOutput output = adviceOn(question);
    EXPECT_NE(output.code, ExitCode::BadInput) << output.err;
    EXPECT_FALSE(has(output.out, "dispatch_once_per_node")) << output.out;
}

// What a comparison cannot tell is said so, in the words of `compare`.
TEST(AdviseEdges, ASmallGainIsWithinTheErrorOfAComparison) {
    const ProgramOutput output = adviceOn({"plan",
                                           "-m",
                                           "llama-3.1-8b",
                                           "-c",
                                           "dgx-h100",
                                           "--stack",
                                           "fsdp2",
                                           "--fix",
                                           "recompute=full",
                                           "--seq",
                                           "8192",
                                           "--global-batch",
                                           "64"});
    EXPECT_FALSE(has(output.out, "error of a forecast")) << output.out;
}

}  // namespace
}  // namespace fabricast
