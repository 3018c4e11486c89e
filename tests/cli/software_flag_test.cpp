#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fabricast {
namespace software_flag_test {

using Words = std::vector<std::string>;

ProgramOutput planned(Words more) {
    const Words base = {"plan",
                        "-m",
                        "llama-3.2-1b",
                        "-c",
                        "dgx-h100",
                        "--stack",
                        "fsdp2",
                        "--seq",
                        "4096",
                        "--global-batch",
                        "64",
                        "--top",
                        "1"};
    more.insert(more.begin(), base.begin(), base.end());
    return runProgram(more, {});
}

bool says(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

/// The line of the best plan.
std::string firstRow(const std::string& text) {
    const std::size_t begin = text.find("\n1  ");
    return begin == std::string::npos ? "" : text.substr(begin, text.find('\n', begin + 1) - begin);
}

TEST(SoftwareFlag, TunedIsThePublishedRecipeWithItsSource) {
    const ProgramOutput tuned = planned({"--software", "tuned"});
    ASSERT_EQ(tuned.code, ExitCode::Ok) << tuned.err;
    EXPECT_TRUE(says(tuned.out, "fsdp2 as published: settings.kernels.compile=true ("))
        << tuned.out;
    const ProgramOutput typed = planned({"--set", "settings.kernels.compile=true"});
    EXPECT_NE(firstRow(tuned.out), "") << tuned.out;
    EXPECT_EQ(firstRow(tuned.out), firstRow(typed.out));
    // The next question is about the same settings.
    EXPECT_TRUE(
        says(tuned.out.substr(tuned.out.find("next: ")), "--set settings.kernels.compile=true"))
        << tuned.out;
    EXPECT_FALSE(says(tuned.out.substr(tuned.out.find("next: ")), "--software")) << tuned.out;
}

TEST(SoftwareFlag, AsIsIsTheDefault) {
    EXPECT_EQ(firstRow(planned({"--software", "as_is"}).out), firstRow(planned({}).out));
}

TEST(SoftwareFlag, WhatIsTypedWinsOverTheRecipe) {
    const ProgramOutput typed =
        planned({"--software", "tuned", "--set", "settings.kernels.compile=false"});
    EXPECT_EQ(firstRow(typed.out), firstRow(planned({}).out));
    EXPECT_FALSE(says(typed.out, "as published")) << typed.out;
}

TEST(SoftwareFlag, AnotherWordIsRefused) {
    const ProgramOutput output = planned({"--software", "fast"});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_TRUE(says(output.err, "tuned (each stack's published recipe) or as_is")) << output.err;
}

TEST(SoftwareFlag, AdviceIsAboutTunedSoftwareToo) {
    const ProgramOutput output =
        ran("advise -m llama-3.2-1b -c dgx-h100 --seq 4096 --global-batch 64 --software tuned");
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    const std::string next = output.out.substr(output.out.find("next: "));
    EXPECT_TRUE(says(next, "--set settings.")) << output.out;
    for (const char* stack : {"ddp", "fsdp2", "deepspeed", "megatron"}) {
        EXPECT_TRUE(says(output.out, std::string(stack) + " as published: ")) << output.out;
    }
    EXPECT_FALSE(says(next, "--software")) << output.out;
}

// Pretraining of DeepSeek-V3 on 1,024 H100 was published with 1,297 tokens/s/GPU, with experts
// dispatched once per node; with the defaults 989 are forecast.
TEST(SoftwareFlag, BringsExpertsNearerToWhatWasPublished) {
    const ProgramOutput output = runProgram({"plan",
                                             "-m",
                                             "deepseek-v3",
                                             "-c",
                                             "dgx-h100",
                                             "-n",
                                             "128",
                                             "--seq",
                                             "4096",
                                             "--global-batch",
                                             "15360",
                                             "--precision",
                                             "fp8_blockwise",
                                             "--stack",
                                             "megatron",
                                             "--top",
                                             "1",
                                             "--software",
                                             "tuned"},
                                            {});
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(says(output.out, "settings.kernels.dispatch_once_per_node=true")) << output.out;
}

}  // namespace software_flag_test
}  // namespace fabricast
