#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <filesystem>
#include <regex>
#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array kSubjects = {
    "-m llama-3.2-1b -c dgx-h100",
    "-m llama-3.1-8b -c dgx-h200 -n 2",
    "-m mixtral-8x7b -c dgx-h100 -n 2 --stack megatron --layout tp=2,ep=4",
    "-m llama-3.1-8b --gpu rtx-4090 --gpus 1 --stack axolotl --tuning qlora",
    "-m gpt2 --gpu t4 --gpus 2 --stack ddp --host-memory 64GB",
    "-m llama-3.1-8b -c gcp-a3-highgpu-8g -n 4 --sites 2 --wan 100Gbps --wan-latency 10ms",
    "-m qwen2.5-7b -c dgx-a100 --stack fsdp2 --layout offload=parameters_cpu",
    "-m llama-3.2-1b -c 8x-rtx-4090 --stack accelerate --set settings.phases.evaluation_batch=8",
    "-m ./model/config.json -c dgx-h100 --stack megatron --layout pp=2,tp=2",
    "trainer.sh --gpu rtx-3090 --gpus 1",
    "axolotl.yaml --gpu rtx-4090 --gpus 1"};
constexpr std::array kWorkloads = {
    "", "--seq 2k", "--global-batch 32", "--seq 1024 --reserve 10%", "--optimizer adamw_8bit"};
constexpr std::array kBudgets = {"",
                                 "--section all",
                                 "--section all --tokens 15T --price 2.10",
                                 "--price market-2026-05 --price-kind reserved --section cost",
                                 "--section time --site typical --mtbf 50000h",
                                 "--set layout.recompute=full --set settings.kernels.compile=true",
                                 "--tokens 1.5e12 --set operation.checkpoint=sync"};

void writeFiles() {
    static bool isDone = false;
    if (std::exchange(isDone, true)) {
        return;
    }
    std::filesystem::create_directories(tempFolder() + "model");
    std::filesystem::create_directories(tempFolder() + "read_back");
    ASSERT_TRUE(writeTextFile(
        tempFolder() + "model/config.json",
        R"({"model_type": "llama", "hidden_size": 1024, "num_hidden_layers": 8, "vocab_size": 32000,
            "num_attention_heads": 16, "num_key_value_heads": 8, "intermediate_size": 4096,
            "max_position_embeddings": 8192, "tie_word_embeddings": false})"));
    ASSERT_TRUE(writeTextFile(tempFolder() + "trainer.sh",
                              "python train.py --model_name_or_path meta-llama/Llama-3.2-1B --bf16 "
                              "--eval_strategy steps --per_device_train_batch_size 1\n"));
    ASSERT_TRUE(writeTextFile(tempFolder() + "axolotl.yaml",
                              "base_model: meta-llama/Llama-3.1-8B\nadapter: qlora\n"
                              "load_in_4bit: true\nlora_r: 16\nval_set_size: 0.05\n"
                              "evals_per_epoch: 4\nsequence_len: 2048\nmicro_batch_size: 4\n"
                              "gradient_accumulation_steps: 2\nbf16: true\n"));
}

std::string withoutSeconds(const std::string& json) {
    return std::regex_replace(json, std::regex("\"seconds\": [0-9.e-]+"), "");
}

/// An answer, and that of the command which is given this answer as its scenario.
void expectReadsBack(const std::string& command,
                     const std::string& question,
                     const std::string& beside) {
    const std::string folder = tempFolder();
    const ProgramOutput first =
        ran("-C " + folder + " " + command + " " + question + " " + beside + " -f json");
    ASSERT_TRUE(first.err.empty() || !first.out.empty()) << question << first.err;
    const std::string file = folder + "read_back/answer.json";
    ASSERT_TRUE(writeTextFile(file, first.out));
    // From another folder: what the answer names is found from anywhere.
    const ProgramOutput again = ran(command + " " + file + " " + beside + " -f json");
    EXPECT_EQ(again.code, first.code) << question << again.err;
    EXPECT_EQ(withoutSeconds(again.out), withoutSeconds(first.out)) << command << " " << question;
}

/// What only says which part of the answer is shown is no part of the question.
std::string sectionOf(std::string& question) {
    const std::size_t at = question.find("--section ");
    if (at == std::string::npos) {
        return "";
    }
    const std::size_t end = std::min(question.find(' ', at + 10), question.size());
    const std::string section = question.substr(at, end - at);
    question.erase(at, end - at);
    return section;
}

TEST(ReadBack, AnAnswerOfExplainIsTheQuestionThatItAnswers) {
    writeFiles();
    constexpr std::size_t kQuestions = 110;  // each subject with each budget once
    std::size_t answered = 0;
    for (std::size_t i = 0; i < kQuestions; ++i) {
        std::string question = std::string(kSubjects.at(i % kSubjects.size())) + " " +
                               kWorkloads.at(i % kWorkloads.size()) + " " +
                               kBudgets.at(i % kBudgets.size());
        const std::string section = sectionOf(question);
        const ProgramOutput first =
            ran("-C " + tempFolder() + " explain " + question + " " + section + " -f json");
        if (first.out.empty()) {
            continue;  // such a combination is refused
        }
        ++answered;
        expectReadsBack("explain", question, section);
    }
    EXPECT_GE(answered, 90U);
}

TEST(ReadBack, AnswersOfSearchesHoldAllThatWasAsked) {
    writeFiles();
    for (const char* const question :
         {"-m llama-3.2-1b -c dgx-h100 --tuning qlora --optimizer adamw_8bit --tokens 1B --price 2",
          "-m ./model/config.json -c dgx-h100 --seq 2048 --global-batch 64 --price-kind spot",
          "-m gpt2 --gpu rtx-4090 --gpus 2 --host-memory 64GB --set "
          "settings.kernels.compile=true"}) {
        expectReadsBack("plan", std::string(question) + " --stack ddp,fsdp2 --forbid pp,tp", "");
        expectReadsBack("advise", question, "");
    }
}

/// What is changed beside an answer is changed of the question, whose defaults follow.
TEST(ReadBack, AnAnswerCanBeAskedWithChanges) {
    writeFiles();
    const std::string file = tempFolder() + "read_back/changed.json";
    ASSERT_TRUE(
        writeTextFile(file, ran("explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 -f json").out));
    const std::string change = " -n 2 --stack megatron --layout tp=2 -q";
    EXPECT_EQ(ran("explain " + file + change).out,
              ran("explain -m llama-3.1-8b -c dgx-h100" + change).out);
}

}  // namespace
}  // namespace fabricast
