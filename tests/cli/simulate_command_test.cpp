#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <utility>

namespace fabricast {
namespace {

/// What both commands are asked.
const std::string kAsked =
    " -m llama-3.1-8b -c dgx-h100 --stack megatron "
    "--layout tp=2,pp=2,shard=zero1 --seq 8192 --global-batch 16";

ProgramOutput simulate(const std::vector<std::string>& more) {
    return ran("simulate" + kAsked, more);
}

// What a step leaves in memory is what it began with, else its curve would not close.
TEST(SimulateCommand, ClosesTheMemoryOfStepsThatOffload) {
    int answered = 0;
    for (const std::string stack : {"fsdp1", "fsdp2", "deepspeed"}) {
        for (const std::string offload : {"optimizer_cpu", "parameters_cpu"}) {
            for (const std::string ranks : {"1", "8"}) {
                const ProgramOutput output =
                    ran("simulate -m gpt2 -c dgx-h100 --seq 1024 --global-batch 16",
                        {"--stack",
                         stack,
                         "--gpus",
                         ranks,
                         "--layout",
                         "offload=" + offload + ",dp=" + ranks});
                EXPECT_TRUE(output.code == ExitCode::Ok || output.code == ExitCode::BadInput)
                    << stack << offload << ranks << output.err;
                answered += output.code == ExitCode::Ok ? 1 : 0;
            }
        }
    }
    EXPECT_GE(answered, 4);
}

TEST(SimulateCommand, WritesWhatItFoundAsJson) {
    const JsonValue root = jsonOf(simulate({"--format", "json"}).out);
    EXPECT_EQ(textOf(root, "schema"), "fabricast.simulation/1");
    const double step = numberOf(root, "step_s");
    EXPECT_GT(step, 0.0);
    EXPECT_NEAR(numberOf(root, "difference"),
                step / numberOf(*root.find("forecast_step_s"), "value") - 1.0,
                1e-9);
    EXPECT_NEAR(numberOf(root, "difference"), 0.0, 0.03);
    double sum = 0.0;
    for (const char* part : {"compute_s",
                             "bubble_s",
                             "tensor_s",
                             "context_expert_s",
                             "data_s",
                             "pipeline_s",
                             "optimizer_s",
                             "copy_s",
                             "host_s"}) {
        sum += numberOf(*root.find("critical_path"), part);
    }
    EXPECT_NEAR(sum, step, 1e-9);
    EXPECT_EQ(root.find("stages")->items().size(), 2U);
    EXPECT_EQ(root.find("memory")->find("stages")->items().size(), 2U);
    EXPECT_GT(numberOf(root, "events"), 16.0);
    EXPECT_GE(numberOf(root, "wall_seconds"), 0.0);
}

// Tokens on their way to experts and parameters share a node's NICs: waiting for the one does not
// hide the other. The forecast was 19.5 s, the simulated step 23.9 s.
TEST(SimulateCommand, AgreesWhereExpertsAndParametersShareTheNetwork) {
    const ProgramOutput output = ran(
        "simulate -m glm-4.5-air -c 4x-a100-pcie -n 16 --fabric ib-hdr --stack torchtitan --layout "
        "dp=64,copies=2,shard=hsdp,ep=8 --seq 4096 --global-batch 64 --format json");
    EXPECT_NEAR(numberOf(jsonOf(output.out), "difference"), 0.0, 0.03) << output.err;
}

TEST(SimulateCommand, WhatDoesNotFitExitsWithOneAsExplainDoes) {
    for (const std::string command : {"explain", "simulate"}) {
        const ProgramOutput output =
            ran(command + " -m llama-3.1-8b -c 8x-rtx-4090 --stack fsdp2", {});
        EXPECT_EQ(output.code, ExitCode::DoesNotFit) << command;
        const ProgramOutput json =
            ran(command + " -m llama-3.1-8b -c 8x-rtx-4090 --stack fsdp2 -f json", {});
        EXPECT_EQ(textOf(jsonOf(json.out), "verdict"), "does_not_fit") << command;
    }
}

TEST(SimulateCommand, SaysTheSameWithEveryRank) {
    const JsonValue classes = jsonOf(simulate({"--format", "json"}).out);
    const JsonValue ranks = jsonOf(simulate({"--format", "json", "--expand"}).out);
    EXPECT_EQ(numberOf(ranks, "step_s"), numberOf(classes, "step_s"));
    EXPECT_EQ(ranks.find("ranks")->items().size(), 8U);
    EXPECT_GT(numberOf(ranks, "events"), 4.0 * numberOf(classes, "events"));
}

TEST(SimulateCommand, HandsOverByTheFrameworksCalls) {
    // torch's 1F1B waits for its receives; the forecast overlaps them with passes.
    const auto titan = [](std::vector<std::string> more) {
        std::vector<std::string> arguments = {"simulate",
                                              "-m",
                                              "llama-3.1-8b",
                                              "-c",
                                              "dgx-h100",
                                              "--stack",
                                              "torchtitan",
                                              "--layout",
                                              "tp=2,pp=4",
                                              "--seq",
                                              "8192",
                                              "--global-batch",
                                              "16",
                                              "--format",
                                              "json"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return jsonOf(runProgram(arguments, {}).out);
    };
    const JsonValue modelled = titan({});
    const JsonValue calls = titan({"--calls"});
    EXPECT_GT(numberOf(calls, "step_s"), numberOf(modelled, "step_s"));
    EXPECT_NEAR(numberOf(calls, "step_s") / numberOf(modelled, "step_s"), 1.0, 0.02);
    const ProgramOutput none =
        runProgram({"simulate", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp", "--calls"}, {});
    EXPECT_EQ(none.code, ExitCode::BadInput);
    EXPECT_TRUE(none.err.starts_with("error: --calls: ")) << none.err;
}

TEST(SimulateCommand, TakesItsMemoryFromTheWalk) {
    const JsonValue simulated = jsonOf(simulate({"--format", "json"}).out);
    const ProgramOutput explained = ran("explain" + kAsked, {"--format", "json"});
    const JsonValue walked = jsonOf(explained.out);
    for (std::size_t stage = 0; stage < 2; ++stage) {
        const auto at = [stage](const JsonValue& root) {
            return numberOf(root.find("memory")->find("stages")->items()[stage], "allocated_bytes");
        };
        EXPECT_EQ(at(simulated), at(walked));
        EXPECT_GT(at(simulated), 1e9);
    }
}

TEST(SimulateCommand, WritesATraceOfEveryOp) {
    const std::string file = tempFolder() + "trace.json";
    const ProgramOutput output = simulate({"--trace", file});
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    const JsonValue trace = jsonOf(readTextFile(file).value());
    std::filesystem::remove(file);
    std::map<std::string, int> phases;
    std::map<std::string, int> names;
    double end = 0.0;
    std::map<std::pair<double, double>, std::map<double, double>> lanes;
    for (const JsonValue& event : trace.find("traceEvents")->items()) {
        ++phases[textOf(event, "ph")];
        ++names[textOf(event, "name")];
        if (textOf(event, "ph") == "X") {
            EXPECT_GT(numberOf(event, "dur"), 0.0);
            end = std::max(end, numberOf(event, "ts") + numberOf(event, "dur"));
            lanes[{numberOf(event, "pid"), numberOf(event, "tid")}][numberOf(event, "ts")] =
                numberOf(event, "ts") + numberOf(event, "dur");
        }
    }
    for (const auto& [lane, slices] : lanes) {
        double free = 0.0;
        for (const auto& [start, until] : slices) {
            EXPECT_GE(start, free - 1e-6);
            free = until;
        }
    }
    const JsonValue answer = jsonOf(simulate({"--format", "json"}).out);
    EXPECT_NEAR(end, 1e6 * numberOf(answer, "step_s"), 1e-3);
    // 8 microbatches of a replica go from stage 0 to stage 1 and back.
    EXPECT_EQ(phases["s"], 16);
    EXPECT_EQ(phases["f"], 16);
    EXPECT_EQ(names["hand-over"], 3 * 16);
    EXPECT_GT(names["1F7"], 0);
    EXPECT_GT(names["0B0"], 0);
    EXPECT_EQ(names["0F8"], 0);
}

TEST(SimulateCommand, FitsAScreen) {
    const ProgramOutput output = simulate({});
    EXPECT_EQ(output.code, ExitCode::Ok);
    EXPECT_TRUE(output.out.starts_with("FITS  SIMULATED  ")) << output.out;
    EXPECT_LT(std::ranges::count(output.out, '\n'), 40);
    EXPECT_NE(output.out.find(" is the busiest;"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("--svg step.svg"), std::string::npos);
    EXPECT_EQ(simulate({"-q"}).out.find("next:"), std::string::npos);
    EXPECT_EQ(simulate({}).out, output.out);
}

TEST(SimulateCommand, RefusesWhatItCannotDo) {
    const ProgramOutput csv = simulate({"--format", "csv"});
    EXPECT_EQ(csv.code, ExitCode::BadInput);
    EXPECT_TRUE(csv.err.starts_with("error: --format: ")) << csv.err;
    EXPECT_EQ(simulate({"--set", "layout.tp=3"}).code, ExitCode::BadInput);
    EXPECT_EQ(simulate({"--trace", "/no/such/folder/x.json"}).code, ExitCode::Environment);
    const ProgramOutput large = runProgram({"simulate",
                                            "-m",
                                            "llama-3.1-405b",
                                            "-c",
                                            "dgx-h100",
                                            "-n",
                                            "2048",
                                            "--stack",
                                            "megatron",
                                            "--layout",
                                            "tp=8,pp=16,vpp=8,recompute=full",
                                            "--seq",
                                            "8192",
                                            "--global-batch",
                                            "16384",
                                            "--expand"},
                                           {});
    EXPECT_EQ(large.code, ExitCode::BadInput) << large.out.substr(0, 300);
    EXPECT_TRUE(large.err.starts_with("error: --expand: 16384 ranks")) << large.err;
}

}  // namespace
}  // namespace fabricast
