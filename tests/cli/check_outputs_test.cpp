#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

namespace fabricast {
namespace {

class CheckOutputs : public testing::Test {
protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_);
        ASSERT_TRUE(writeTextFile(at("runs.csv"), kRuns));
        std::filesystem::remove(at("link.csv"));
        std::filesystem::create_symlink("runs.csv", at("link.csv"));
    }
    [[nodiscard]] std::string at(const std::string& name) const {
        return (folder_ / name).string();
    }

    static constexpr const char* kRuns = "kept";

private:
    std::filesystem::path folder_ =
        std::filesystem::path(tempFolder()) / ("check_outputs_" + std::to_string(::getpid()));
};

TEST_F(CheckOutputs, AnOutputIsNoInput) {
    const std::string runs = at("runs.csv");
    const std::string other = at("link.csv");
    const ProgramOutput answer = runProgram({"backtest", runs, "-o", other}, {});
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    EXPECT_EQ(answer.err,
              "error: -o: \"" + other + "\" is also an input\n  try: write to another file\n");
    EXPECT_EQ(runProgram({"backtest", runs, "--output=" + runs}, {}).code, ExitCode::BadInput);
    EXPECT_EQ(readTextFile(runs), kRuns);
}

// Hours of GPUs, or a datasheet typed off: no answer takes their place unasked.
TEST_F(CheckOutputs, RecordsAndProfilesAreNotReplaced) {
    const std::string kept = at("kept.json");
    const auto refusedBy = [&](std::vector<std::string> words, const std::string& text) {
        EXPECT_TRUE(writeTextFile(kept, text));
        words.insert(words.begin(), {"simulate", "-m", "gpt2", "-c", "dgx-a100", "--stack", "ddp"});
        const ProgramOutput answer = runProgram(words, {});
        EXPECT_EQ(readTextFile(kept) == text, answer.code != ExitCode::Ok) << text;
        EXPECT_EQ(answer.code == ExitCode::Ok, answer.err.find("error: ") != 0) << answer.err;
        return answer.code == ExitCode::Ok ? std::string() : answer.err;
    };
    const std::string record = R"({"schema":"fabricast.measurements/1","machine":{}})";
    const std::string profile = R"({ "title": "mine", "schema" : "fabricast.gpu/1" })";
    for (const char* const flag : {"-o", "--svg", "--trace"}) {
        EXPECT_EQ(refusedBy({flag, kept}, record),
                  "error: " + std::string(flag) + ": \"" + kept +
                      "\" is there, and is a record of measurements; nothing was written\n  try: "
                      "another file; or first mv " +
                      kept + " " + kept + ".old\n");
        EXPECT_NE(refusedBy({flag, kept}, profile).find("is a gpu profile"), std::string::npos);
    }
    // A sweep over night, which --out would have gone on with.
    const std::string points = R"({"schema": "fabricast.sweep/1", "question": "-m gpt2"})";
    const std::string sizes = R"({"schema": "fabricast.size_sweep/1", "question": "-m gpt2"})";
    for (const char* const flag : {"-o", "--svg", "--trace"}) {
        for (const std::string& text : {points, sizes}) {
            EXPECT_NE(
                refusedBy({flag, kept}, text).find("is there, and is a file of a sweep's points"),
                std::string::npos)
                << flag << text;
        }
    }
    // An answer is one's own to replace, and so are notes, as ever.
    EXPECT_EQ(refusedBy({"-o", kept}, R"({"schema": "fabricast.collective/1", "tool": {}})"), "");
    EXPECT_EQ(refusedBy({"-o", kept}, R"({"schema": "fabricast.simulation/1"})"), "");
    EXPECT_EQ(refusedBy({"-o", kept}, "notes"), "");
}

// What starts a job is not lost to an answer, and an answer is no launch file.
TEST_F(CheckOutputs, LaunchFilesAreNotReplaced) {
    const std::vector<std::string> run = {"-m", "qwen3-0.6b", "-c", "dgx-h100"};
    const auto with = [&run](std::vector<std::string> words, const std::vector<std::string>& more) {
        words.insert(words.end(), run.begin(), run.end());
        words.insert(words.end(), more.begin(), more.end());
        return runProgram(words, {});
    };
    for (const char* const stack : {"torchtitan", "deepspeed", "megatron", "axolotl"}) {
        const std::string job = at(std::string("job_") + stack);
        ASSERT_EQ(with({"emit"}, {"--stack", stack, "--out", job}).code, ExitCode::Ok);
        for (const auto& entry : std::filesystem::directory_iterator(job)) {
            const std::string place = entry.path().string();
            const std::string before = *readTextFile(place);
            const ProgramOutput answer = with({"explain"}, {"--stack", "ddp", "-o", place});
            EXPECT_EQ(answer.code, ExitCode::BadInput) << place;
            EXPECT_NE(answer.err.find("is there, and is a launch file"), std::string::npos)
                << answer.err;
            EXPECT_EQ(readTextFile(place), before);
        }
    }
    for (const char* const command : {"explain", "plan", "emit", "simulate"}) {
        const std::string place = at(std::string(command) + ".json");
        for (int times = 0; times < 2; ++times) {
            const ProgramOutput answer = with({command}, {"--stack", "ddp", "-o", place});
            EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
        }
    }
}

TEST_F(CheckOutputs, WhatAScenarioReadsIsAnInputToo) {
    std::filesystem::create_directories(at("mm"));
    const std::string config =
        R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632,
            "num_attention_heads": 16, "vocab_size": 32000, "num_hidden_layers": 8})";
    ASSERT_TRUE(writeTextFile(at("mm/config.json"), config));
    ASSERT_TRUE(writeTextFile(at("run.json"),
                              R"({"model": "mm", "cluster": "dgx-a100", "stack": "ddp",
                                  "workload": {"sequence": 1024, "global_batch": 8}})"));
    const std::vector<std::vector<std::string>> lines = {
        {"explain", at("run.json"), "-o", at("mm/config.json")},
        {"simulate", at("run.json"), "--svg", at("mm/config.json")},
        {"model", at("mm"), "-o", at("mm/config.json")},
        {"plan", "-m", at("mm"), "-c", "dgx-a100", "-o", at("mm/../mm/config.json")},
        // Typed with -C, a path does not start where the scenario is.
        {"-C", at(""), "explain", "sub/run.json", "--set", "model=mm", "-o", "mm/config.json"}};
    std::filesystem::create_directories(at("sub"));
    std::filesystem::copy_file(at("run.json"), at("sub/run.json"));
    for (const std::vector<std::string>& line : lines) {
        const ProgramOutput answer = runProgram(line, {});
        EXPECT_EQ(answer.code, ExitCode::BadInput) << line.front() << answer.out;
        EXPECT_EQ(readTextFile(at("mm/config.json")), config);
    }
}

TEST_F(CheckOutputs, NamesTheKeyThatSaysTheInput) {
    std::filesystem::create_directories(at("typed"));
    const std::string config = at("typed/config.json");
    ASSERT_TRUE(writeTextFile(config, "{}"));
    const ProgramOutput answer =
        runProgram({"plan", "--set", "model=" + at("typed"), "-c", "dgx-a100", "-o", config}, {});
    EXPECT_EQ(answer.err,
              "error: -o: \"" + config +
                  "\" is also the file of \"model\"\n  try: write to another file\n");
}

// Of these the command line names a folder, or another file that leads to them.
TEST_F(CheckOutputs, WhatAFolderOrAScriptLeadsToIsAnInputToo) {
    const std::string run = at("launch");
    const std::vector<std::string> machine = {"-m", "llama-3.1-8b", "-c", "dgx-h100"};
    const auto with = [&machine](std::vector<std::string> words) {
        words.insert(words.begin() + 2, machine.begin(), machine.end());
        return words;
    };
    ASSERT_EQ(runProgram(with({"emit", "--stack=deepspeed", "--out", run}), {}).code, ExitCode::Ok);
    const std::string script = run + "/run.sh";
    const std::string named = run + "/deepspeed.json";
    std::filesystem::create_hard_link(named, at("also.json"));
    const std::vector<std::vector<std::string>> lines = {
        {"explain", run, "-o", script},
        {"explain", script, "-o", named},
        {"explain", script, "-o", at("also.json")},
        {"lint", run, "-o", named},
        {"simulate", run, "--trace", script},
        {"check", run, "--report", "junit=" + named},
        {"emit", script, "--out", run, "--force"}};
    const std::string kept = readTextFile(script).value() + readTextFile(named).value();
    for (std::vector<std::string> line : lines) {
        if (line.front() == "emit") {
            std::filesystem::remove(at("also.json"));
        }
        const ProgramOutput answer = runProgram(with(std::move(line)), {});
        EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
        EXPECT_EQ(answer.out, "");
        EXPECT_NE(answer.err.find("is also an input"), std::string::npos) << answer.err;
        EXPECT_NE(answer.err.find("  try: write to another file\n"), std::string::npos);
        EXPECT_EQ(readTextFile(script).value() + readTextFile(named).value(), kept);
    }
}

TEST_F(CheckOutputs, AModelIsNotReplacedByTheScenarioOfIt) {
    const std::string config =
        R"({"model_type": "llama", "hidden_size": 2048, "intermediate_size": 5632,
            "num_attention_heads": 16, "vocab_size": 32000, "num_hidden_layers": 8})";
    ASSERT_TRUE(writeTextFile(at("config.json"), config));
    const ProgramOutput answer = runProgram(
        {"init", "--yes", "--force", "-m", at("config.json"), "-c", "dgx-a100", at("config.json")},
        {});
    EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
    EXPECT_EQ(readTextFile(at("config.json")), config);
}

// What was looked at only, or was written by an earlier run, is no input.
TEST_F(CheckOutputs, AnEarlierAnswerInTheFolderIsReplaced) {
    const std::string run = at("again");
    const std::vector<std::string> emit = {
        "emit", "-m", "llama-3.1-8b", "-c", "dgx-h100", "--stack", "megatron", "--out", run};
    ASSERT_EQ(runProgram(emit, {}).code, ExitCode::Ok);
    for (int time = 0; time < 2; ++time) {
        const ProgramOutput answer = runProgram(
            {"explain", run, "-m", "llama-3.1-8b", "-c", "dgx-h100", "-o", run + "/answer.json"},
            {});
        EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
        EXPECT_EQ(runProgram(emit, {}).code, ExitCode::Ok);
    }
}

TEST_F(CheckOutputs, AFolderThatPathsStartInMayHoldAnOutputOfAnyName) {
    const ProgramOutput answer =
        runProgram({"-C", at(""), "model", "gpt2", "-o", "config.json"}, {});
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
}

TEST_F(CheckOutputs, AProfileIsNotOverwritten) {
    const std::string profile = at("prices/ours.json");
    std::filesystem::create_directories(at("prices"));
    const std::string text = R"({"schema": "fabricast.price/1", "name": "ours", "title": "Ours",
        "date": "2026-05", "gpus": {"h100-sxm5-80gb":
        {"on_demand": {"value": "$2/h", "source": "datasheet", "from": "ours"}}}})";
    ASSERT_TRUE(writeTextFile(profile, text));
    const ProgramOutput answer =
        runProgram({"--profile-dir", at(""), "profiles", "list", "-o", profile}, {});
    EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.err;
    EXPECT_EQ(readTextFile(profile), text);
}

TEST_F(CheckOutputs, AnEndingAloneIsNoName) {
    for (const std::string name : {".pdf", ".JSON", ".png"}) {
        const ProgramOutput answer =
            runProgram({"explain", "-m", "gpt2", "-c", "dgx-a100", "-o", at(name)}, {});
        EXPECT_EQ(answer.code, ExitCode::BadInput) << name;
        EXPECT_EQ(answer.out, "");
        EXPECT_NE(answer.err.find("is the ending of a name without a name\n  try: -o " +
                                  at("answer" + name)),
                  std::string::npos)
            << answer.err;
        EXPECT_FALSE(std::filesystem::exists(at(name)));
    }
}

TEST_F(CheckOutputs, TwoOutputsAreTwoFiles) {
    const std::string file = at("step");
    const ProgramOutput answer = runProgram({"simulate",
                                             "-m",
                                             "gpt2",
                                             "-c",
                                             "dgx-a100",
                                             "--stack",
                                             "ddp",
                                             "--svg",
                                             file,
                                             "--trace",
                                             at("./step")},
                                            {});
    EXPECT_EQ(answer.code, ExitCode::BadInput);
    EXPECT_NE(answer.err.find("is also the file of --trace"), std::string::npos) << answer.err;
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_EQ(runProgram({"model", "gpt2", "-o", "/dev/null"}, {}).code, ExitCode::Ok);
}

}  // namespace
}  // namespace fabricast
