#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <filesystem>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// What the program answers to someone who types these lines.
ProgramOutput asked(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& lines) {
    Surroundings surroundings;
    std::size_t next = 0;
    surroundings.ask = [&](const std::string& /*question*/) {
        return next < lines.size() ? std::optional(lines[next++]) : std::nullopt;
    };
    return runProgram(arguments, surroundings);
}

TEST(Init, WritesAScenarioThatIsRead) {
    const std::string file = tempFolder() + "started.json";
    ASSERT_EQ(ran("init --yes -m llama-3.1-70b -c dgx-h200 -n 4 --stack fsdp2", {file}).code,
              ExitCode::Ok);
    const ProgramOutput answer = ran("explain --no-fail", {file});
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("llama-3.1-70b on 4 x dgx-h200"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("global batch 64"), std::string::npos) << answer.out;
}

// Without a layout the batch need not divide over data parallel ranks: plan finds others.
TEST(Init, SaysWhatNeedsALayoutFirst) {
    const std::string file = tempFolder() + "seven.json";
    const std::string flags = "init --yes -m llama-3.2-1b -c dgx-h100 -n 2 --global-batch ";
    const ProgramOutput answer = ran(flags + "7", {file});
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("\nexplain and check need a layout first: workload.global_batch: 7 "),
              std::string::npos)
        << answer.out;
    EXPECT_EQ(ran("explain", {file}).code, ExitCode::BadInput);
    EXPECT_EQ(ran(flags + "16 --force", {file}).out.find("need a layout"), std::string::npos);
    EXPECT_EQ(ran("explain --no-fail", {file}).code, ExitCode::Ok);
}

TEST(Init, WritesNoRequirementThatIsRefused) {
    const std::string file = tempFolder() + "refused.json";
    for (const char* require : {"[\"fits maybe\"]", "[\"tokens_per_s => 3\"]"}) {
        const ProgramOutput output = ran("init --yes -m llama-3.2-1b -c dgx-h100 --stack fsdp2",
                                         {"--set", "require=" + std::string(require), file});
        EXPECT_EQ(output.code, ExitCode::BadInput) << require;
        EXPECT_FALSE(std::filesystem::exists(file));
    }
}

TEST(Init, HasCommentsThatAreKeysOnceTheirMarksAreGone) {
    const std::string file = tempFolder() + "whole.json";
    ASSERT_EQ(ran("init --yes", {file}).code, ExitCode::Ok);
    const std::string whole =
        std::regex_replace(readTextFile(file).value_or(""), std::regex("// \\\""), "\"");
    EXPECT_EQ(whole.find("// \""), std::string::npos);
    ASSERT_TRUE(writeTextFile(file, whole));
    const ProgramOutput answer = ran("explain --section all -f json --no-fail", {file});
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("\"kind\": \"full\""), std::string::npos);
}

TEST(Init, WritesTheScenarioWhereTheAnswerIsAskedFor) {
    const std::string file = tempFolder() + "answer.json";
    std::filesystem::remove(file);  // of another test of this program
    const ProgramOutput answer = ran("init --yes -m llama-3.1-8b -c dgx-h100 -o", {file});
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_EQ(answer.out, "");
    EXPECT_TRUE(answer.err.starts_with("written: ")) << answer.err;
    EXPECT_FALSE(std::filesystem::exists("fabricast.json"));
    EXPECT_EQ(ran("explain --no-fail", {file}).code, ExitCode::Ok);
    const ProgramOutput there = ran("init --yes -o", {file});
    EXPECT_EQ(there.code, ExitCode::BadInput);
    EXPECT_NE(there.err.find("is there already"), std::string::npos) << there.err;
    const ProgramOutput twice = ran("init --yes other.json -o", {file});
    EXPECT_EQ(twice.code, ExitCode::BadInput);
    EXPECT_NE(twice.err.find("one file is enough"), std::string::npos) << twice.err;
    EXPECT_EQ(ran("init --yes -f json").code, ExitCode::BadInput);
}

TEST(Init, PrintsTheScenarioWhereTheFileIsADash) {
    const ProgramOutput answer = ran("init --yes -m llama-3.1-8b -c dgx-h100 -");
    EXPECT_EQ(answer.code, ExitCode::Ok);
    EXPECT_EQ(answer.err, "");
    EXPECT_NE(answer.out.find("\"llama-3.1-8b\""), std::string::npos) << answer.out;
    EXPECT_FALSE(std::filesystem::exists("-"));
    EXPECT_EQ(ran("init --yes -m llama-3.1-8b -c dgx-h100 -f json -").out, answer.out);
}

TEST(Init, KeepsAFileThatIsThereUnlessForced) {
    const std::string file = tempFolder() + "mine.json";
    ASSERT_TRUE(writeTextFile(file, "{}"));
    const ProgramOutput refused = ran("init --yes", {file});
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
    EXPECT_EQ(readTextFile(file).value_or(""), "{}");
    EXPECT_EQ(ran("init --yes --force", {file}).code, ExitCode::Ok);
    EXPECT_NE(readTextFile(file).value_or("{}"), "{}");
}

TEST(Init, ReplacesNoMeasurementWhenForced) {
    const std::string file = tempFolder() + "measured.jsonl";
    const std::string record = R"({"schema":"fabricast.measurements/1","machine":{}})";
    ASSERT_TRUE(writeTextFile(file, record));
    const ProgramOutput refused = ran("init --yes --force -m llama-3.1-8b -c dgx-h100", {file});
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_EQ(refused.out, "");
    EXPECT_EQ(refused.err.find("error: " + file + ": is there, and is a record of measurements"),
              0U)
        << refused.err;
    EXPECT_EQ(readTextFile(file).value_or(""), record);
}

TEST(Init, AsksAndTakesTheDefaultForAnEmptyLine) {
    const std::string file = tempFolder() + "asked.json";
    const ProgramOutput answer =
        asked({"init", "--seq", "4096", file}, {"llama-3.2-1b", "", "2", "", "32"});
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    const std::string text = readTextFile(file).value_or("");
    for (const char* part : {"\"llama-3.2-1b\"",
                             "\"dgx-h100\", \"nodes\": 2",
                             "\"sequence\": 4096",
                             "\"global_batch\": 32",
                             "// \"stack\""}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << text;
    }
}

TEST(Init, WritesNothingWhereTheInputEndsOrNobodyCanBeAsked) {
    const std::string file = tempFolder() + "none.json";
    const ProgramOutput ended = asked({"init", file}, {"llama-3.2-1b"});
    EXPECT_EQ(ended.code, ExitCode::Interrupted);
    EXPECT_EQ(ended.err, "error: nothing was written\n  try: fabricast init --yes\n");
    EXPECT_EQ(ran("init", {file}).code, ExitCode::BadInput);
    EXPECT_EQ(ran("init --yes -c no-such-node", {file}).code, ExitCode::BadInput);
    EXPECT_FALSE(readTextFile(file));
}

TEST(Init, RefusesWhatExplainRefusesInItsWords) {
    const std::string file = tempFolder() + "refused.json";
    for (const char* flags : {"-m no-such-model -c dgx-h100",
                              "-m llama-3.1-8b -c dgx-h100 -n 0",
                              "-m llama-3.1-8b -c dgx-h100 -n 01",
                              "-m llama-3.1-8b -c no-such-node",
                              "-m llama-3.1-8b -c dgx-h100 --stack no-such-stack",
                              "-m llama-3.1-8b -c dgx-h100 -n 1 --stack megatron --layout tp=3",
                              "-m llama-3.1-8b -c dgx-h100 --seq zero",
                              "-m llama-3.1-8b -c dgx-h100 --price no-such-price",
                              "-m llama-3.1-8b -c dgx-h100 --set settings.kernels.nothing=1"}) {
        const ProgramOutput refused = ran(std::string("init --yes ") + flags, {file});
        const ProgramOutput explained = ran(std::string("explain --no-fail ") + flags);
        EXPECT_NE(explained.err, "") << flags;
        EXPECT_EQ(refused.err, explained.err) << flags;
        EXPECT_EQ(refused.code, explained.code) << flags;
        EXPECT_FALSE(readTextFile(file)) << flags;
    }
}

TEST(Init, HonoursEveryFlagOfAQuestion) {
    const std::string file = tempFolder() + "whole_question.json";
    const std::string flags =
        "-m llama-3.1-8b --gpu h100-sxm5-80gb --gpus 16 --gpus-per-node 8 --fabric ib-ndr "
        "--host-memory 512GB --reserve 10% --stack axolotl --layout micro_batch=2,recompute=full "
        "--seq 4096 --global-batch 64 --optimizer adamw_8bit --tuning qlora --lora-rank 8 --tokens "
        "1B --price 2.10 --mtbf 50000h --checkpoint sync --checkpoint-interval 20min --set "
        "settings.lora.dropout=0.1 --set settings.kernels.loss=chunked";
    ASSERT_EQ(ran("init --yes " + flags, {file}).err, "");
    const std::string more = " --section all -f json --no-fail";
    const ProgramOutput typed = ran("explain " + flags + more);
    ASSERT_EQ(typed.code, ExitCode::Ok) << typed.err;
    const ProgramOutput read = ran("explain" + more, {file});
    const auto parts = [](const std::string& answer) {
        const JsonValue json = jsonOf(answer);
        return std::array{numberOf(*json.find("memory")->find("peak_bytes"), "value"),
                          numberOf(*json.find("time")->find("step_s"), "value"),
                          numberOf(*json.find("cost")->find("usd_per_run"), "value")};
    };
    EXPECT_EQ(parts(read.out), parts(typed.out)) << readTextFile(file).value_or("");
}

TEST(Init, WritesPathsAsTheFileSeesThem) {
    const std::string folder = tempFolder();
    std::filesystem::create_directories(folder + "models");
    std::filesystem::create_directories(folder + "runs/one");
    ASSERT_TRUE(writeTextFile(folder + "models/config.json", R"({"model_type": "llama",
        "hidden_size": 1024, "intermediate_size": 4096, "num_hidden_layers": 8,
        "num_attention_heads": 16, "num_key_value_heads": 8, "vocab_size": 32000})"));
    for (const char* model : {"models/config.json", "models"}) {
        const std::string line = std::string("-C ") + folder + " init --yes --force -m " + model;
        ASSERT_EQ(ran(line + " -c dgx-h100 runs/one/run.json").err, "") << model;
        const std::string text = readTextFile(folder + "runs/one/run.json").value_or("");
        EXPECT_NE(text.find(std::string("\"../../") + model), std::string::npos) << text;
        const ProgramOutput answer =
            ran("explain --stack fsdp2 --no-fail", {folder + "runs/one/run.json"});
        EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    }
    const ProgramOutput input = ran("init --yes -m - -c dgx-h100", {folder + "input.json"});
    EXPECT_EQ(input.code, ExitCode::BadInput);
}

}  // namespace
}  // namespace fabricast
