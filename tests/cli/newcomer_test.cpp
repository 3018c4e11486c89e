#include "cli/run_program.h"
#include "planner/request/layout_json.h"
#include "planner/request/settings_json.h"
#include "planner/text/text_files.h"
#include "study/reference_words.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fabricast {
namespace newcomer_test {

using Words = std::vector<std::string>;

ProgramOutput ran(const Words& arguments) {
    return runProgram(arguments, {});
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::string lineOf(const std::string& text, std::size_t number) {
    std::size_t begin = 0;
    for (; number > 0; --number) {
        begin = text.find('\n', begin) + 1;
    }
    return text.substr(begin, text.find('\n', begin) - begin);
}

// The first things that are typed.

TEST(Newcomer, TheProgramAloneExplainsItself) {
    const ProgramOutput output = ran({});
    EXPECT_EQ(output.code, ExitCode::Ok);
    EXPECT_EQ(output.out, ran({"--help"}).out);
    EXPECT_EQ(output.err, "");
}

TEST(Newcomer, APlanNeedsAModelAndACluster) {
    const ProgramOutput output =
        ran({"plan", "-m", "llama-3.2-1b", "-c", "dgx-h100", "--stack", "fsdp2"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(has(output.out, "assumed: global batch 128")) << output.out;
}

// What explain tries alone is not enough for a 70B model on one card, and what plan combines is.
TEST(Newcomer, ExplainSendsToPlanWhereNoneOfItsWaysOutIsEnough) {
    const Words about = {"-m",
                         "llama-3.1-70b",
                         "--gpus",
                         "1",
                         "--gpu",
                         "rtx-4090",
                         "--stack",
                         "axolotl",
                         "--seq",
                         "2048",
                         "--tuning",
                         "qlora"};
    Words explained = {"explain", "--no-fail"};
    explained.insert(explained.end(), about.begin(), about.end());
    const ProgramOutput output = ran(explained);
    std::string next = "next: fabricast plan";
    for (const std::string& word : about) {
        next += " " + word;
    }
    EXPECT_TRUE(has(output.out, next + "\n")) << output.out;
    Words planned = {"plan"};
    planned.insert(planned.end(), about.begin(), about.end());
    EXPECT_TRUE(has(ran(planned).out, "LIKELY FITS")) << ran(planned).out;
}

// Experts are most of the weights, and no nn.Linear: four bits leave them as they are.
TEST(Newcomer, SearchesOfAdaptersSayWhatOfAMixtureKeepsItsBits) {
    for (const char* const command : {"plan", "advise"}) {
        const ProgramOutput output = ran({command,
                                          "-m",
                                          "qwen3-30b-a3b",
                                          "--gpu",
                                          "h100",
                                          "--seq",
                                          "2048",
                                          "--global-batch",
                                          "16",
                                          "--tuning",
                                          "qlora"});
        EXPECT_TRUE(has(output.out,
                        "assumed: nf4 for linear layers only: experts and router are no nn.Linear "
                        "and stay in bf16\n"))
            << output.out;
        EXPECT_TRUE(has(output.out, "assumed: LoRA on q, k, v and o; experts and router"))
            << output.out;
    }
}

TEST(Newcomer, AGpuWhereANodeIsExpectedIsABoxOfThem) {
    for (const std::string name : {"h100", "8xh100"}) {
        const ProgramOutput output = ran({"explain", "-m", "gpt2", "-c", name});
        EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
        EXPECT_TRUE(has(output.out, "(8 h100-sxm5-80gb)")) << output.out;
        EXPECT_TRUE(has(output.out, "assumed: \"" + name + "\" is a GPU")) << output.out;
    }
    EXPECT_TRUE(has(ran({"explain", "-m", "gpt2", "-c", "4x4090"}).out, "(4 rtx-4090)"));
    EXPECT_EQ(ran({"explain", "-m", "gpt2", "-c", "h1000"}).code, ExitCode::BadInput);
}

TEST(Newcomer, NumbersAreNamesAndPricesToo) {
    EXPECT_TRUE(has(ran({"explain", "-m", "gpt2", "--gpu", "5090"}).out, "rtx-5090"));
    const Words cost = {"explain", "-m", "gpt2", "-c", "dgx-h100", "--section", "cost"};
    Words priced = cost;
    priced.insert(priced.end(), {"--price", "2.10"});
    EXPECT_TRUE(has(ran(priced).out, "$2.10/h a GPU, given price"));
    priced.back() = "0";
    EXPECT_EQ(ran(priced).code, ExitCode::BadInput);
}

TEST(Newcomer, SequencesAndBatchesAreTypedAsTheyAreNamed) {
    const Words base = {"explain", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--layout", "cp=8"};
    Words longer = base;
    longer.insert(longer.end(), {"--seq", "128k"});
    EXPECT_TRUE(has(ran(longer).out, "sequence 131072,")) << ran(longer).err;
    longer.back() = "8q";
    EXPECT_EQ(ran(longer).code, ExitCode::BadInput);
    const ProgramOutput rounded = ran({"plan",
                                       "-m",
                                       "llama-3.2-1b",
                                       "-c",
                                       "dgx-h100",
                                       "--stack",
                                       "fsdp2",
                                       "--seq",
                                       "8k",
                                       "--global-batch",
                                       "4M tokens"});
    EXPECT_TRUE(has(rounded.out, "global batch 512")) << rounded.err;
    EXPECT_TRUE(has(rounded.out, "assumed: global batch 512: 4194304 tokens, for 4000000"))
        << rounded.out;
}

TEST(Newcomer, SamplesOfEachRankAreOneBatchForLayoutsOfAnyDp) {
    Words asked = {"plan",
                   "-m",
                   "llama-3.2-1b",
                   "-c",
                   "dgx-h100",
                   "--stack",
                   "fsdp2",
                   "--global-batch",
                   "4 per rank"};
    const std::string open = ran(asked).out;
    EXPECT_TRUE(has(open,
                    "global batch 32: 4 samples of each of 8 data parallel ranks, and as many in "
                    "all with another dp\n"))
        << open;
    asked.insert(asked.end(), {"--layout", "dp=8"});
    const std::string held = ran(asked).out;
    EXPECT_TRUE(has(held, "global batch 32: 4 samples of each of 8 data parallel ranks\n")) << held;
}

TEST(Newcomer, AdaptersAreAFlag) {
    const ProgramOutput output = ran({"explain",
                                      "-m",
                                      "llama-3.2-1b",
                                      "-c",
                                      "4x-rtx-4090",
                                      "--stack",
                                      "ddp",
                                      "--tuning",
                                      "qlora",
                                      "--lora-rank",
                                      "32"});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_TRUE(has(lineOf(output.out, 1), "bf16 adamw, LoRA rank 32 over nf4")) << output.out;
    EXPECT_TRUE(has(output.out, "--tuning qlora --lora-rank 32"));
}

TEST(Newcomer, CheckpointsOfOneArchitectureAreOneModel) {
    const std::vector<std::pair<std::string, std::string>> spellings = {
        {"Llama-3.1-8B-Instruct", "llama-3.1-8b"},
        {"meta-llama/Meta-Llama-3.1-8B", "llama-3.1-8b"},
        {"llama3.1:8b", "llama-3.1-8b"},
        {"Qwen/Qwen3-235B-A22B-Instruct-2507", "qwen3-235b-a22b"},
        {"mistralai/Mistral-7B-Instruct-v0.3", "mistral-7b-v0.3"},
        {"mixtral-8x22b-instruct", "mixtral-8x22b-instruct"}};
    for (const auto& [typed, name] : spellings) {
        const ProgramOutput output = ran({"model", typed});
        EXPECT_TRUE(output.out.starts_with(name + " ")) << typed << output.out << output.err;
    }
    const ProgramOutput near = ran({"model", "llama-70b"});
    EXPECT_EQ(near.code, ExitCode::BadInput);
    EXPECT_TRUE(has(near.err, "\"llama-3.1-70b\"")) << near.err;
}

TEST(Newcomer, EveryKeyHasAMeaning) {
    for (const SettingHelp& key : describeLayout()) {
        EXPECT_FALSE(meaningOf(key.path).empty()) << key.path;
    }
    for (const SettingHelp& setting : describeSettings()) {
        EXPECT_FALSE(meaningOf(setting.path).empty()) << setting.path;
    }
    for (const std::string topic : {"lora", "recompute", "moe", "dpo", "reference"}) {
        EXPECT_EQ(ran({"help", topic}).code, ExitCode::Ok) << topic;
    }
}

/// What help says to type can be typed.
TEST(Newcomer, TheCommandsInHelpTopicsRun) {
    for (const std::string topic : {"lora", "moe", "dpo"}) {
        const std::string text = ran({"help", topic}).out;
        const std::size_t at = text.find("  fabricast ") + std::string("  fabricast ").size();
        Words words;
        std::string word;
        for (const char c : lineOf(text.substr(at), 0) + " ") {
            if (c == ' ') {
                words.push_back(word);
                word.clear();
            } else {
                word += c;
            }
        }
        words.insert(words.end(), {"--top", "1"});
        EXPECT_EQ(ran(words).code, ExitCode::Ok) << topic << ran(words).err;
    }
}

TEST(Newcomer, ATemplateOfANodeIsANode) {
    const std::string folder = tempFolder() + "/fabricast_newcomer/nodes";
    std::filesystem::create_directories(folder);
    const ProgramOutput made = ran({"profiles", "new", "node", "my-box"});
    ASSERT_EQ(made.code, ExitCode::Ok) << made.err;
    ASSERT_TRUE(writeTextFile(folder + "/my-box.json", made.out));
    const std::string profiles = tempFolder() + "/fabricast_newcomer";
    const ProgramOutput used =
        ran({"--profile-dir", profiles, "explain", "-m", "gpt2", "-c", "my-box"});
    EXPECT_EQ(used.code, ExitCode::Ok) << used.err;
    // What is missing is said at once.
    ASSERT_TRUE(writeTextFile(
        folder + "/my-box.json",
        R"({"schema": "fabricast.node/1", "name": "my-box", "aliases": [], "title": "x"})"));
    const ProgramOutput empty =
        ran({"--profile-dir", profiles, "explain", "-m", "gpt2", "-c", "my-box"});
    EXPECT_TRUE(has(empty.err, R"("gpu", "gpus", "gpu_fabric", "pcie", "nics")")) << empty.err;
    EXPECT_EQ(ran({"profiles", "new", "fabric"}).code, ExitCode::BadInput);
}

}  // namespace newcomer_test
}  // namespace fabricast
