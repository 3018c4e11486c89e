#include "machine/calibrate.h"

#include "machine/measured_table.h"
#include "machine/visible_gpus.h"
#include "probes/record/record_lock.h"
#include "tests/support/fake_probes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stop_token>
#include <string>
#include <vector>

// Calibration as a window would call it: no command line, no terminal.

namespace fabricast {
namespace {

CalibrationAsk askOf(const FakeProbes& probes) {
    return {.measure = {.engine = CalibrationEngine::Host,
                        .out = probes.at("run.jsonl"),
                        .probes = probes.folder()},
            .fit = {.folder = probes.at("measured"), .name = "ours"}};
}

bool isFile(const std::string& path) {
    return std::ifstream(path).good();
}

TEST(Calibrate, MeasuresFitsAndReportsItsStatus) {
    const FakeProbes probes("library");
    probes.play("ok");
    std::vector<std::string> lines;
    const Watch watch{.status = [&](std::string_view line) { lines.emplace_back(line); }};
    const auto report = calibrate(askOf(probes), ProfileStore::builtIn(), watch);
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_TRUE(report->has(EngineOutcome::Status::Measured));
    EXPECT_EQ(report->records, std::vector<std::string>{probes.at("run.jsonl")});
    EXPECT_EQ(report->measured.points.size(), 3U);
    ASSERT_TRUE(report->profile) << report->notFitted;
    EXPECT_EQ(report->profile->fitted.machine, "azure-nd-h100-v5");
    EXPECT_EQ(report->profile->written,
              std::vector<std::string>{probes.at("measured/collectives/measured-ours.json")});
    EXPECT_TRUE(isFile(report->profile->written.front()));
    ASSERT_GE(lines.size(), 2U);
    EXPECT_TRUE(lines.front().starts_with("1/1 host (")) << lines.front();
    EXPECT_EQ(lines.back(), "");
}

TEST(Calibrate, AStopKeepsTheRecordAndFitsNothing) {
    const FakeProbes probes("stop");
    probes.play("slow");
    std::stop_source source;
    const Watch watch{.stop = source.get_token(), .status = [&](std::string_view line) {
                          if (line.find("[x/3]") != std::string_view::npos) {
                              source.request_stop();
                          }
                      }};
    CalibrationAsk ask = askOf(probes);
    ask.measure.engine = CalibrationEngine::Auto;
    const auto report = calibrate(ask, ProfileStore::builtIn(), watch);
    ASSERT_TRUE(report) << report.error().text();
    ASSERT_EQ(report->engines.size(), 2U);
    EXPECT_EQ(report->engines[0].status, EngineOutcome::Status::Interrupted);
    EXPECT_EQ(report->engines[1].status, EngineOutcome::Status::NotBegun);
    EXPECT_EQ(report->measured.points.size(), 1U);
    EXPECT_FALSE(report->profile);
    EXPECT_EQ(report->notFitted, "measuring was interrupted");
    EXPECT_NE(
        calibrationText(*report).find("NEXT\n  " + measureCommand(report->measure, report->fit)),
        std::string::npos)
        << calibrationText(*report);
}

TEST(Calibrate, AFitThatFailsStillReportsTheMeasurements) {
    const FakeProbes probes("no_fit");
    probes.play("ok");
    CalibrationAsk ask = askOf(probes);
    ask.fit.machine = "4x-rtx-4090";  // the probe plays eight ranks
    const auto report = calibrate(ask, ProfileStore::builtIn(), {});
    ASSERT_TRUE(report) << report.error().text();
    EXPECT_EQ(report->measured.points.size(), 3U);
    EXPECT_EQ(report->fault, Error::Code::BadInput);
    EXPECT_NE(report->notFitted.find("4x-rtx-4090 has 4 GPUs in a node"), std::string::npos)
        << report->notFitted;
}

/// What a fit will refuse is refused before the first probe starts.
TEST(Calibrate, WhatCannotBeFittedIsNotMeasured) {
    const FakeProbes probes("early");
    probes.add("fabricast-probe-nccl");
    probes.play("ok");
    const auto refusedWith = [&](const CalibrationAsk& ask) {
        const auto report = calibrate(ask, ProfileStore::builtIn(), {});
        EXPECT_FALSE(report);
        EXPECT_FALSE(isFile(ask.measure.out)) << "it was measured";
        return report ? std::string() : report.error().text();
    };
    const auto expectRefused = [&](const CalibrationAsk& ask, const std::string& part) {
        const std::string text = refusedWith(ask);
        EXPECT_NE(text.find(part), std::string::npos) << text;
    };
    CalibrationAsk nccl = askOf(probes);
    nccl.measure.engine = CalibrationEngine::Nccl;
    nccl.fit.machine = "dgx-a100";
    expectRefused(nccl, "--machine: was measured on \"NVIDIA H100 80GB HBM3\" (h100-sxm5-80gb), ");
    nccl.fit.machine = "4x-rtx-4090";
    nccl.fit.gpu = "rtx-4090";
    expectRefused(nccl, "has 8 ranks on 1 node, and 4x-rtx-4090 has 4 GPUs in a node");

    const std::string place = probes.at("measured/collectives/measured-ours.json");
    std::filesystem::create_directories(probes.at("measured/collectives"));
    nccl.fit = askOf(probes).fit;
    std::ofstream(place) << "my notes";
    expectRefused(nccl, "is there, and is damaged: ");
    std::filesystem::rename(place, probes.at("measured/collectives/broken.json"));
    expectRefused(nccl, "measured/collectives/broken.json:1:1: ");
    std::filesystem::remove_all(probes.at("measured/collectives"));
    std::ofstream(probes.at("measured/collectives")) << "a file";
    expectRefused(nccl, "is not a folder");
    std::filesystem::remove_all(probes.at("measured"));

    std::ofstream(probes.at("wires.txt")) << "no topology";
    CalibrationAsk wires = askOf(probes);
    wires.fit.topology = probes.at("wires.txt");
    expectRefused(wires, probes.at("wires.txt"));

    // Without GPUs that a profile is like, nobody knows whose collectives and memory these are.
    std::filesystem::remove(probes.at("inventory.json"));
    nccl.fit.machine.clear();
    nccl.measure.ranks = 2;
    expectRefused(nccl, "--machine: is missing: collectives are kept");
    expectRefused(askOf(probes), "--machine: is missing: a host's memory and copies are kept");
    CalibrationAsk host = askOf(probes);
    host.measure.engine = CalibrationEngine::Host;
    std::ofstream(probes.at("inventory.json"))
        << R"({"schema":"fabricast.machine/1","host":{"cpu":"x","threads":2,"memory":25232932864}})";
    host.fit.machine = "dgx-h100";
    expectRefused(host, "--machine: this host is not dgx-h100: it has 23.5 GiB of memory, and ");
    std::filesystem::remove(probes.at("inventory.json"));
    CalibrationAsk only = askOf(probes);
    only.fit.folder.clear();
    EXPECT_TRUE(calibrate(only, ProfileStore::builtIn(), {})) << "no profile was asked for";
}

TEST(Calibrate, ARecordOfTheFutureIsNotGoneOnWith) {
    const FakeProbes probes("future_record");
    probes.play("ok");
    const std::string text =
        R"({"schema":"fabricast.measurements/1","machine":{"nccl":"2.28.9"},"program":"fabricast-probe-nccl",)"
        R"("begun":"2999-01-01T00:00:00Z"})"
        "\n";
    std::ofstream(probes.at("run.jsonl")) << text;
    const auto report = calibrate(askOf(probes), ProfileStore::builtIn(), {});
    ASSERT_FALSE(report);
    EXPECT_NE(report.error().text().find("was measured on 2999-01-01, which is in the future"),
              std::string::npos)
        << report.error().text();
}

TEST(Calibrate, NothingMeasuredIsAnError) {
    const FakeProbes probes("nothing");
    probes.play("full");
    const auto report = calibrate(askOf(probes), ProfileStore::builtIn(), {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Error::Code::Environment);
    EXPECT_NE(report.error().why.find("No space left on device"), std::string::npos);
}

TEST(Calibrate, ARecordThatAnotherOneWritesIsNamed) {
    const FakeProbes probes("taken");
    probes.play("ok");
    const std::string record = probes.at("run.jsonl");
    for (const char* const text : {"", "{\"schema\":\"fabricast.measurements/1\"}\n"}) {
        std::ofstream(record) << text;
        const auto lock = probe::lockRecord(record);
        ASSERT_TRUE(lock);
        const auto report = calibrate(askOf(probes), ProfileStore::builtIn(), {});
        ASSERT_FALSE(report);
        EXPECT_EQ(report.error().code, Error::Code::Environment);
        EXPECT_EQ(
            report.error().text(),
            "--out: " + record +
                ": another probe is writing it; wait for its end, or give --out another name");
    }
}

TEST(Calibrate, AnEmptyRecordOfAnotherWriterIsNoneOfThisOne) {
    const FakeProbes probes("begun");
    std::ofstream(probes.at("fabricast-probe-host"))
        << "#!/bin/sh\nfor word; do out=$word; done\n[ \"$1\" = --inventory ] && exit 4\n"
           ": > \"$out\"; echo \"$out: another probe is writing it\" >&2; exit 4\n";
    CalibrationAsk ask = askOf(probes);
    ask.fit.machine = "dgx-h100";
    const auto report = calibrate(ask, ProfileStore::builtIn(), {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, Error::Code::Environment);
    EXPECT_NE(report.error().text().find("another probe is writing it"), std::string::npos)
        << report.error().text();
}

TEST(Calibrate, ThePreviewListsPointsAndWritesNothing) {
    const FakeProbes probes("preview");
    probes.play("ok");
    const auto preview = previewCalibration(askOf(probes), ProfileStore::builtIn(), {});
    ASSERT_TRUE(preview) << preview.error().text();
    ASSERT_EQ(preview->runs.size(), 1U);
    EXPECT_EQ(preview->runs.front().points.size(), 3U);
    EXPECT_FALSE(isFile(probes.at("run.jsonl")));
}

TEST(Calibrate, RanksOfNcclMeetAtAPortThatIsOpenAlready) {
    const FakeProbes probes("nccl");
    std::ofstream(probes.at("fabricast-probe-nccl"))
        << "#!/bin/sh\necho \"$RANK $MASTER_PORT ${FABRICAST_PROBE_LISTENER-none}\" >> "
        << probes.at("ranks") << "\nexit 4\n";
    std::filesystem::permissions(probes.at("fabricast-probe-nccl"),
                                 std::filesystem::perms::owner_all);
    CalibrationAsk ask = askOf(probes);
    ask.measure.engine = CalibrationEngine::Nccl;
    ask.measure.ranks = 2;
    EXPECT_FALSE(calibrate(ask, ProfileStore::builtIn(), {}));
    std::vector<std::string> ranks;
    std::ifstream file(probes.at("ranks"));
    for (std::string line; std::getline(file, line);) {
        ranks.push_back(line);
    }
    std::ranges::sort(ranks);
    ASSERT_EQ(ranks.size(), 2U);
    EXPECT_FALSE(ranks[0].ends_with("none")) << ranks[0];
    EXPECT_TRUE(ranks[1].ends_with("none")) << ranks[1];
}

/// Sets CUDA_VISIBLE_DEVICES for as long as it lives.
class Hiding {
public:
    explicit Hiding(const char* visible) { ::setenv("CUDA_VISIBLE_DEVICES", visible, 1); }
    Hiding(const Hiding&) = delete;
    Hiding& operator=(const Hiding&) = delete;
    ~Hiding() { ::unsetenv("CUDA_VISIBLE_DEVICES"); }
};

TEST(CalibrationPlan, StartsNoRankForAHiddenGpu) {
    const FakeProbes probes("hidden");
    probes.add("fabricast-probe-nccl");
    MachineInventory machine;
    machine.gpus.resize(8);
    MeasureAsk ask{
        .engine = CalibrationEngine::Nccl, .out = "run.jsonl", .probes = probes.folder()};
    EXPECT_EQ(planCalibration(ask, machine)->runs.at(0).environments.size(), 8U);
    const Hiding hiding("2,3,5");
    EXPECT_EQ(planCalibration(ask, machine)->runs.at(0).environments.size(), 3U);
    ask.ranks = 4;
    EXPECT_EQ(planCalibration(ask, machine).error().text(),
              "--ranks: 4 ranks need one GPU each, and there are 3: CUDA_VISIBLE_DEVICES=2,3,5 "
              "(unset CUDA_VISIBLE_DEVICES, or ask for fewer)");
    ask.ranks = 0;
    ask.gpus = {"2", "4"};
    EXPECT_EQ(planCalibration(ask, machine).error().why,
              "GPU 4 is hidden by CUDA_VISIBLE_DEVICES=2,3,5");
    // The driver's numbers are CUDA's only in the order of the bus.
    ask.gpus = {"3", "5"};
    ask.engine = CalibrationEngine::Cuda;
    const std::vector<std::string> chosen = {"CUDA_DEVICE_ORDER=PCI_BUS_ID",
                                             "CUDA_VISIBLE_DEVICES=3,5"};
    EXPECT_EQ(planCalibration(ask, machine)->runs.at(0).environments.at(0), chosen);
    EXPECT_EQ(VisibleGpus(8, "1,-1,2").count(), 1U);
    EXPECT_EQ(VisibleGpus(8, "GPU-8f2a,MIG-11").count(), 2U);
    EXPECT_EQ(VisibleGpus(8, "").count(), 0U);
}

TEST(Calibrate, ARunWithATunerPluginIsOfNoProfile) {
    const FakeProbes probes("dump");
    CalibrationAsk ask = askOf(probes);
    ask.measure.engine = CalibrationEngine::Nccl;
    ask.measure.tunerDump = probes.at("costs.jsonl");
    const auto report = calibrate(ask, ProfileStore::builtIn(), {});
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().where, "--tuner-dump");
}

TEST(CalibrationPlan, MpiStartsAsManyRanksAsAsked) {
    const FakeProbes probes("mpi");
    probes.add("fabricast-probe-mpi");
    const MeasureAsk ask{.engine = CalibrationEngine::Mpi,
                         .ranks = 4,
                         .hosts = {"10.0.0.1", "10.0.0.2:3"},
                         .out = "run.jsonl",
                         .probes = probes.folder()};
    const auto plan = planCalibration(ask, {});
    if (!plan) {
        // A machine without Open MPI.
        EXPECT_EQ(plan.error().where, "mpirun");
        return;
    }
    std::string command;
    for (const std::string& word : plan->runs.at(0).command) {
        command += " " + word;
    }
    EXPECT_NE(command.find("-np 4 --map-by node --bind-to none --host 10.0.0.1:2,10.0.0.2:3 "),
              std::string::npos)
        << command;
    EXPECT_EQ(recordOf("a/run.jsonl", "cuda", true), "a/run.cuda.jsonl");
    EXPECT_EQ(recordOf("run", "cuda", true), "run.cuda.jsonl");
    EXPECT_EQ(recordOf("run.txt", "cuda", false), "run.txt");
}

TEST(MeasureCommand, SaysWhatIsNotUsual) {
    EXPECT_EQ(measureCommand({.out = "run.jsonl"}, {.name = "run"}),
              "fabricast calibrate --out run.jsonl");
    EXPECT_EQ(
        measureCommand(
            {.engine = CalibrationEngine::Mpi,
             .suite = "full",
             .seconds = 90,
             .ranks = 4,
             .hosts = {"a", "b"},
             .out = "run.jsonl"},
            {.folder = "my profiles", .name = "lab", .profileFolders = {"p"}, .replaces = true}),
        "fabricast --profile-dir p calibrate --engine mpi --suite full --time-budget 90s "
        "--ranks 4 --hosts a,b --out run.jsonl --name lab --profile 'my profiles' --force");
}

}  // namespace
}  // namespace fabricast
