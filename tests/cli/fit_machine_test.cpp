#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

double numberAt(const std::string& json, const std::vector<const char*>& keys) {
    const auto root = parseJson(json, "json");
    EXPECT_TRUE(root) << json;
    const JsonValue* value = root ? &*root : nullptr;
    for (const char* key : keys) {
        value = value != nullptr ? value->find(key) : nullptr;
    }
    return value != nullptr ? value->number(-1e9, 1e9).value_or(-1) : -1;
}

double explainedStep(std::vector<std::string> more) {
    std::vector<std::string> arguments = {"explain",
                                          "-m",
                                          "llama-3.1-8b",
                                          "-c",
                                          "dgx-h100",
                                          "--stack",
                                          "fsdp2",
                                          "--seq",
                                          "4096",
                                          "--section",
                                          "time",
                                          "-f",
                                          "json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const ProgramOutput output = runProgram(arguments, {});
    return numberAt(output.out, {"time", "step_s", "value"});
}

/// Eight runs of the same work on one machine, of about the given step time.
std::string ownRuns(double step) {
    std::string csv =
        "id,model,layers,hidden,ffn,heads,kv_heads,vocab,seq,gpus,gpus_per_node,gpu,stack,dp,tp,"
        "micro_batch,global_batch,shard,recompute,measured_step_s\n";
    for (int i = 0; i < 8; ++i) {
        csv += "own-" + std::to_string(i) +
               ",Llama3 8B,32,4096,14336,32,8,128256,4096,8,8,h100_sxm,fsdp2,8,1,1,8,fsdp,none," +
               std::to_string(step * (1.0 + 0.0005 * (i - 3.5))) + "\n";
    }
    return csv;
}

/// Runs of the same work on such a GPU that took 15 % longer than their forecast.
std::string slowerRuns(const std::string& gpu, const std::string& file) {
    const auto runsOf = [&gpu](double step) {
        std::string csv = ownRuns(step);
        for (const auto& [from, to] :
             {std::pair(std::string("h100_sxm"), gpu), std::pair(std::string("own-"), gpu + "-")}) {
            for (std::size_t at = csv.find(from); at != std::string::npos;
                 at = csv.find(from, at + to.size())) {
                csv.replace(at, from.size(), to);
            }
        }
        return csv;
    };
    EXPECT_TRUE(writeTextFile(file, runsOf(1.0)));
    const ProgramOutput plain = runProgram({"backtest", file, "--all", "-f", "json"}, {});
    return runsOf(1.15 * (1.0 + numberAt(plain.out, {"summary", "all", "step", "bias"})));
}

TEST(FitMachine, OtherCommandsTakeUpWhatItWrites) {
    const std::filesystem::path folder = std::filesystem::path(tempFolder()) / "own";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "corrections");
    const std::string runs = (folder / "runs.csv").string();
    const std::string file = (folder / "corrections" / "ours.json").string();
    ASSERT_TRUE(writeTextFile(runs, ownRuns(1.0)));
    const ProgramOutput plain = runProgram({"backtest", runs, "--all", "-f", "json"}, {});
    const double forecast = 1.0 + numberAt(plain.out, {"summary", "all", "step", "bias"});
    ASSERT_TRUE(writeTextFile(runs, ownRuns(1.15 * forecast)));

    const ProgramOutput fitted = runProgram({"backtest", runs, "--fit", file, "-f", "json"}, {});
    ASSERT_EQ(fitted.code, ExitCode::Ok) << fitted.err;
    EXPECT_LT(numberAt(fitted.out, {"summary", "all", "step", "median"}), 0.01);
    const std::string written = readTextFile(file).value();
    EXPECT_NE(written.find("fabricast.correction/3"), std::string::npos) << written;
    EXPECT_NE(written.find("\"factors\""), std::string::npos) << written;
    EXPECT_EQ(numberAt(written, {"runs"}), 8.0);

    const ProgramOutput again =
        runProgram({"backtest", runs, "--profile-dir", folder.string(), "-f", "json"}, {});
    EXPECT_LT(numberAt(again.out, {"summary", "all", "step", "median"}), 0.01) << again.err;
    EXPECT_NE(again.out.find("h100-sxm5-80gb: corrected by ours, "), std::string::npos)
        << again.out.substr(0, 600);
    const ProgramOutput checked =
        runProgram({"profiles", "verify", "--profile-dir", folder.string()}, {});
    EXPECT_EQ(checked.code, ExitCode::Ok) << checked.out << checked.err;
    const double before = explainedStep({});
    const double after = explainedStep({"--profile-dir", folder.string()});
    EXPECT_GT(before, 0.0);
    EXPECT_GT(after, 1.08 * before);
    const ProgramOutput said = runProgram({"explain",
                                           "-m",
                                           "llama-3.1-8b",
                                           "-c",
                                           "dgx-h100",
                                           "--stack",
                                           "fsdp2",
                                           "--section",
                                           "time",
                                           "--profile-dir",
                                           folder.string()},
                                          {});
    EXPECT_NE(said.out.find("corrected by ours, 20"), std::string::npos) << said.out << said.err;
}

/// The same work with this much of it recomputed, and what the forecasts are off by.
std::pair<std::string, double> recomputingRuns(const std::string& recompute,
                                               double step,
                                               const std::string& file) {
    std::string csv = ownRuns(step);
    const std::string none = ",none,";
    for (std::size_t at = csv.find(none); at != std::string::npos; at = csv.find(none, at + 1)) {
        csv.replace(at, none.size(), "," + recompute + ",");
    }
    EXPECT_TRUE(writeTextFile(file, csv));
    const ProgramOutput plain = runProgram({"backtest", file, "--all", "-f", "json"}, {});
    return {csv, numberAt(plain.out, {"summary", "all", "step", "bias"})};
}

// Steps that recompute took longer than forecast, others did not: no speed says so.
TEST(FitMachine, StepsTakeWhatRunsLikeThemTook) {
    const std::filesystem::path folder = std::filesystem::path(tempFolder()) / "alike";
    std::filesystem::remove_all(folder);
    const std::string runs = (folder / "runs.csv").string();
    std::filesystem::create_directories(folder);
    std::string table;
    for (const auto& [recompute, longer] : {std::pair("none", 1.0), std::pair("full", 1.12)}) {
        const double bias = recomputingRuns(recompute, 1.0, runs).second;
        std::string csv = recomputingRuns(recompute, longer * (1.0 + bias), runs).first;
        for (std::size_t at = csv.find("own-"); at != std::string::npos;
             at = csv.find("own-", at + 1)) {
            csv.replace(at, 3, std::string("own") + recompute);
        }
        table += table.empty() ? csv : csv.substr(csv.find('\n') + 1);
    }
    ASSERT_TRUE(writeTextFile(runs, table));
    const std::string file = (folder / "corrections" / "ours.json").string();
    const ProgramOutput fitted = ran("backtest " + runs + " --fit " + file);
    ASSERT_EQ(fitted.code, ExitCode::Ok) << fitted.err << fitted.out;
    EXPECT_NE(fitted.out.find("steps like those of 16 runs: "), std::string::npos) << fitted.out;
    EXPECT_NE(fitted.out.find("likeness is taken by shapes left out (2): error "),
              std::string::npos)
        << fitted.out;

    const std::vector<std::string> own = {"--profile-dir", folder.string()};
    const double none = explainedStep({"--layout", "recompute=none", own[0], own[1]}) /
                        explainedStep({"--layout", "recompute=none"});
    const double full = explainedStep({"--layout", "recompute=full", own[0], own[1]}) /
                        explainedStep({"--layout", "recompute=full"});
    EXPECT_NEAR(none, 1.0, 0.03);
    EXPECT_NEAR(full, 1.12, 0.03);
    const ProgramOutput said =
        ran("explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 4096 "
            "--layout recompute=full --section time --profile-dir " +
            folder.string());
    EXPECT_NE(said.out.find("corrected by ours, "), std::string::npos) << said.out << said.err;
    EXPECT_NE(said.out.find("likeness to 16 runs"), std::string::npos) << said.out << said.err;
    EXPECT_NE(said.out.find("own runs like it took "), std::string::npos) << said.out << said.err;
    EXPECT_EQ(ran("profiles verify --profile-dir " + folder.string()).code, ExitCode::Ok);
}

/// A file of the first version: two factors, of which one is 1.
TEST(FitMachine, FilesOfTheFirstVersionAreRead) {
    const std::filesystem::path folder = std::filesystem::path(tempFolder()) / "first";
    std::filesystem::create_directories(folder / "corrections");
    ASSERT_TRUE(writeTextFile((folder / "corrections" / "ours.json").string(), R"({
  "schema": "fabricast.correction/1", "name": "ours", "title": "Our machine", "source": "fitted",
  "from": "ours.csv", "gpu": "h100-sxm5-80gb", "clock": 0.8, "network": 1, "runs": 12,
  "median_error": {"before": 0.2, "after": 0.02}
})"));
    EXPECT_GT(explainedStep({"--profile-dir", folder.string()}), 1.08 * explainedStep({}));
}

TEST(FitMachine, WhatIsToBeTypedNextCanBePasted) {
    const std::filesystem::path folder = std::filesystem::path(tempFolder()) / "pasted";
    std::filesystem::create_directories(folder / "corrections");
    const std::string runs = (folder / "runs.csv").string();
    const std::string file = (folder / "corrections" / "ours.json").string();
    ASSERT_TRUE(writeTextFile(runs, slowerRuns("h100_sxm", runs)));
    const ProgramOutput fitted = ran("backtest " + runs + " --fit " + file);
    ASSERT_EQ(fitted.code, ExitCode::Ok) << fitted.err;
    const std::string begin = "next: fabricast ";
    const std::string said = fitted.out + fitted.err;
    ASSERT_NE(said.find(begin), std::string::npos) << said;
    const std::size_t at = said.find(begin) + begin.size();
    const ProgramOutput next = ran(said.substr(at, said.find('\n', at) - at));
    EXPECT_EQ(next.code, ExitCode::Ok) << next.err;
    EXPECT_NE(next.out.find("llama-3-8b on 1 x "), std::string::npos) << next.out;
    EXPECT_NE(next.out.find("corrected by ours"), std::string::npos) << next.out;
}

TEST(FitMachine, WhereNothingHelpsThereIsNoFileAndTheStatusIsOne) {
    const std::string runs = tempFolder() + "same.csv";
    const std::string file = tempFolder() + "corrections/same.json";
    std::filesystem::remove(file);
    ASSERT_TRUE(writeTextFile(runs, ownRuns(1.0)));
    const ProgramOutput plain = runProgram({"backtest", runs, "--all", "-f", "json"}, {});
    const double forecast = 1.0 + numberAt(plain.out, {"summary", "all", "step", "bias"});
    ASSERT_TRUE(writeTextFile(runs, ownRuns(forecast)));
    const ProgramOutput output = runProgram({"backtest", runs, "--fit", file}, {});
    EXPECT_EQ(output.code, ExitCode::DoesNotFit) << output.err;
    EXPECT_NE(output.out.find("as good as these runs can tell"), std::string::npos) << output.out;
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(FitMachine, TooFewRunsWriteNothing) {
    const std::string runs = tempFolder() + "few.csv";
    const std::string file = tempFolder() + "corrections/few.json";
    std::filesystem::remove(file);
    std::string csv = ownRuns(1.0);
    csv.resize(csv.find("own-3"));
    ASSERT_TRUE(writeTextFile(runs, csv));
    const ProgramOutput output = runProgram({"backtest", runs, "--fit", file}, {});
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.err;
    EXPECT_NE(output.err.find("only 3 runs on "), std::string::npos) << output.err;
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(FitMachine, CopiesOfARunAreOneRun) {
    const std::string runs = tempFolder() + "copies.csv";
    const std::string file = tempFolder() + "corrections/copies.json";
    std::filesystem::remove(file);
    std::string csv = ownRuns(1.0);
    const std::string head = csv.substr(0, csv.find('\n') + 1);
    const std::size_t second = csv.find("own-1");
    const std::string row = csv.substr(head.size(), second - head.size());
    csv = head;
    for (int i = 0; i < 12; ++i) {
        csv += "own-" + std::to_string(i) + row.substr(row.find(','));
    }
    ASSERT_TRUE(writeTextFile(runs, csv));
    const ProgramOutput output = runProgram({"backtest", runs, "--fit", file}, {});
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
    EXPECT_NE(output.err.find("12 copies of run own-0 are one run"), std::string::npos)
        << output.err;
    EXPECT_FALSE(std::filesystem::exists(file));
}

TEST(FitMachine, AFileIsNamedAsProfilesAre) {
    const ProgramOutput output =
        runProgram({"backtest", "missing.csv", "--fit", "us/corrections/Our_B200.json"}, {});
    EXPECT_EQ(output.code, ExitCode::BadInput);
    EXPECT_NE(output.err.find("--fit us/corrections/our-b200.json"), std::string::npos)
        << output.err;
    // Beginning like a flag, it would be written and then refused by every command.
    const ProgramOutput flag =
        runProgram({"backtest", "missing.csv", "--fit", "us/corrections/-x.json"}, {});
    EXPECT_EQ(flag.code, ExitCode::BadInput);
    EXPECT_NE(flag.err.find("is not a valid profile name"), std::string::npos) << flag.err;
}

// Anywhere else no command would find it.
TEST(FitMachine, AFileIsWrittenIntoTheFolderOfCorrections) {
    for (const auto& [typed, hint] :
         {std::pair("us/our-b200.json", "--fit us/corrections/our-b200.json"),
          std::pair("our-b200.json", "--fit corrections/our-b200.json")}) {
        const ProgramOutput output = runProgram({"backtest", "missing.csv", "--fit", typed}, {});
        EXPECT_EQ(output.code, ExitCode::BadInput);
        EXPECT_NE(output.err.find("is in no folder corrections"), std::string::npos) << output.err;
        EXPECT_NE(output.err.find(hint), std::string::npos) << output.err;
    }
}

TEST(FitMachine, AFileThatIsReadAsNoProfileIsRefused) {
    for (const std::string name : {"us/corrections/ours", "us/corrections/ours.JSON"}) {
        const ProgramOutput output = runProgram({"backtest", "missing.csv", "--fit", name}, {});
        EXPECT_EQ(output.code, ExitCode::BadInput);
        EXPECT_NE(output.err.find("--fit us/corrections/ours.json"), std::string::npos)
            << output.err;
    }
}

// Each of several GPUs has its name in that of its file: what no profile may be called is not
// written.
TEST(FitMachine, TheFilesOfSeveralGpusAreNamedAsProfilesAre) {
    const std::filesystem::path folder = std::filesystem::path(tempFolder()) / "long";
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder / "corrections");
    const std::string runs = (folder / "runs.csv").string();
    const std::string ours = slowerRuns("h100_sxm", runs);
    const std::string others = slowerRuns("a100-sxm4-80gb", runs);
    ASSERT_TRUE(writeTextFile(runs, ours + others.substr(others.find('\n') + 1)));
    const std::string longest(95, 'x');
    const ProgramOutput output = runProgram(
        {"backtest", runs, "--fit", (folder / "corrections" / (longest + ".json")).string()}, {});
    EXPECT_EQ(output.code, ExitCode::BadInput) << output.out << output.err;
    EXPECT_NE(output.err.find("is longer than the name of a profile"), std::string::npos)
        << output.err;
    EXPECT_TRUE(std::filesystem::is_empty(folder / "corrections"));
}

}  // namespace
}  // namespace fabricast
