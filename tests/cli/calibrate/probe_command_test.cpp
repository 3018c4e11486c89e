#include "cli/child_process.h"
#include "cli/run_program.h"
#include "planner/io/recognise_machine.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <thread>

namespace fabricast {
namespace {

const std::string kNode = FABRICAST_SOURCE_DIR "/tests/cases/probes/h100_node.json";

ProgramOutput run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "probe");
    return runProgram(arguments, {});
}

/// A folder with one program, which is a script.
std::string folderOf(const std::string& name,
                     const std::string& program,
                     const std::string& script) {
    const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / name;
    std::filesystem::remove_all(folder);
    std::filesystem::create_directories(folder);
    std::ofstream(folder / program) << "#!/bin/sh\n" << script;
    ::chmod((folder / program).c_str(), 0755);
    return folder.string();
}

TEST(ProbeCommand, SaysWhatAMachineLooksLike) {
    expectGolden("probe_h100_node.txt", run({"--from", kNode}).out);
    expectGolden("probe_h100_node.json", run({"--from", kNode, "--format", "json"}).out);
    expectGolden("help_probe.txt", run({"--help"}).out);
}

TEST(ProbeCommand, AsksTheHostProbe) {
    const std::string folder = folderOf(
        "fabricast_probe_a", "fabricast-probe-host", "[ \"$1\" = --inventory ] && cat " + kNode);
    EXPECT_EQ(run({"--probes", folder}).out, run({"--from", kNode}).out);
}

TEST(ProbeCommand, SaysWhatIsMissing) {
    const ProgramOutput missing = run({"--probes", "/no/such"});
    EXPECT_EQ(missing.code, ExitCode::Environment);
    EXPECT_EQ(missing.err,
              "error: fabricast-probe-host: is not in \"/no/such\", which --probes names\n"
              "  try: cmake --build build --target fabricast-probe-host, or name its folder: "
              "--probes DIR\n");
    const std::string dying = folderOf("fabricast_probe_b",
                                       "fabricast-probe-host",
                                       "echo one >&2; echo 'no sys here' >&2; exit 4");
    const ProgramOutput dead = run({"--probes", dying});
    EXPECT_EQ(dead.code, ExitCode::Environment);
    EXPECT_NE(dead.err.find("ended with exit code 4"), std::string::npos) << dead.err;
    EXPECT_NE(dead.err.find("no sys here"), std::string::npos) << dead.err;
    const std::string babbling =
        folderOf("fabricast_probe_c", "fabricast-probe-host", "echo '{\"schema\": 3'");
    EXPECT_EQ(run({"--probes", babbling}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"--from", kNode, "--format", "csv"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"--from", "/no/such.json"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"--from", kNode, "--probes", "x"}).err.substr(0, 16), "error: --probes:");
}

TEST(RecogniseGpu, ByTheNamesThatDriversHave) {
    const ProfileStore store = ProfileStore::builtIn();
    struct Row {
        const char* driver;
        double gigabytes;
        const char* profile;
    };
    const std::vector<Row> rows = {{"NVIDIA H100 80GB HBM3", 85.5, "h100-sxm5-80gb"},
                                   {"NVIDIA H100 PCIe", 85.5, "h100-pcie-80gb"},
                                   {"NVIDIA H100 NVL", 100.5, "h100-nvl-94gb"},
                                   {"NVIDIA H200", 150.7, "h200-sxm-141gb"},
                                   {"NVIDIA H200 NVL", 150.7, "h200-nvl-141gb"},
                                   {"NVIDIA A100-SXM4-80GB", 85.9, "a100-sxm4-80gb"},
                                   {"NVIDIA A100-SXM4-40GB", 42.9, "a100-sxm4-40gb"},
                                   {"NVIDIA A100 80GB PCIe", 85.9, "a100-pcie-80gb"},
                                   {"NVIDIA A100-PCIE-40GB", 42.9, ""},
                                   {"NVIDIA B200", 192.2, "b200-sxm-180gb"},
                                   {"NVIDIA GB200", 198.6, "gb200-186gb"},
                                   {"NVIDIA H20", 102.6, "h20-96gb"},
                                   {"NVIDIA L40S", 48.3, "l40s"},
                                   {"NVIDIA GeForce RTX 4090", 25.7, "rtx-4090"},
                                   {"NVIDIA RTX A6000", 51.5, "rtx-a6000"},
                                   {"NVIDIA RTX 6000 Ada Generation", 51.5, "rtx-6000-ada"},
                                   {"Tesla V100-SXM2-16GB", 16.9, "v100-sxm2-16gb"},
                                   {"NVIDIA GeForce GTX 1080", 8.5, ""},
                                   {"NVIDIA", 0, ""},
                                   {"", 0, ""}};
    for (const Row& row : rows) {
        const auto gpu = recogniseGpu(
            store, row.driver, Bytes(static_cast<std::int64_t>(row.gigabytes * 1e9)), "");
        ASSERT_TRUE(gpu) << gpu.error().text();
        EXPECT_EQ(*gpu ? (*gpu)->name : "", row.profile) << row.driver;
    }
}

double secondsOf(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// Not so of a dead process that nobody has asked for yet.
bool isAlive(const std::string& pidFile) {
    std::string pid;
    std::ifstream(pidFile) >> pid;
    std::string number;
    std::string name;
    std::string state;
    std::ifstream("/proc/" + pid + "/stat") >> number >> name >> state;
    return !pid.empty() && !state.empty() && state != "Z";
}

TEST(ChildProcess, HandsBackBothStreamsAndTheCode) {
    std::vector<std::string> lines;
    const auto outcome =
        runChild({.command = {"/bin/sh", "-c", "echo out; echo a >&2; printf b >&2; exit 3"},
                  .onError = [&](std::string_view line) { lines.emplace_back(line); }});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->end, ChildOutcome::End::Exited);
    EXPECT_EQ(outcome->code, 3);
    EXPECT_EQ(outcome->out, "out\n");
    EXPECT_EQ(lines, (std::vector<std::string>{"a", "b"}));
    const auto killed = runChild({.command = {"/bin/sh", "-c", "kill -9 $$"}});
    EXPECT_EQ(killed->end, ChildOutcome::End::Killed);
    EXPECT_EQ(endText(*killed), "was ended by a signal: Killed");
    EXPECT_EQ(runChild({.command = {"/no/such"}}).error().code, Error::Code::Environment);
}

TEST(ChildProcess, CopiesRunTogetherWithTheirOwnVariables) {
    const auto outcome =
        runChild({.command = {"/bin/sh", "-c", "echo $RANK of $WORLD_SIZE $HOME; exit $RANK"},
                  .environments = {{"RANK=0", "WORLD_SIZE=3", "HOME=a"},
                                   {"RANK=7", "WORLD_SIZE=3", "HOME=b"},
                                   {"RANK=0", "WORLD_SIZE=3", "HOME=c"}}});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->end, ChildOutcome::End::Exited);
    EXPECT_EQ(outcome->code, 7);
    for (const char* line : {"0 of 3 a\n", "7 of 3 b\n", "0 of 3 c\n"}) {
        EXPECT_NE(outcome->out.find(line), std::string::npos) << outcome->out;
    }
    // One that dies does not leave the others behind.
    const auto begin = std::chrono::steady_clock::now();
    const auto stalled = runChild({.command = {"/bin/sh", "-c", "exec sleep $LONG"},
                                   .environments = {{"LONG=0"}, {"LONG=300"}},
                                   .silentSeconds = 0.5});
    EXPECT_EQ(stalled->end, ChildOutcome::End::Stalled);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(20));
}

TEST(ChildProcess, AStalledOneIsEndedWithAllItStarted) {
    const std::string pid = testing::TempDir() + "fabricast_stalled.pid";
    std::filesystem::remove(pid);
    const double seconds = secondsOf([&] {
        const auto outcome = runChild(
            {.command = {"/bin/sh", "-c", "sleep 300 & echo $! > " + pid + "; echo x >&2; wait"},
             .silentSeconds = 0.3});
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->end, ChildOutcome::End::Stalled);
        EXPECT_EQ(endText(*outcome), "said nothing any more and was ended\n    x");
    });
    EXPECT_LT(seconds, 10.0);
    for (int look = 0; look < 40 && isAlive(pid); ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_TRUE(std::filesystem::exists(pid));
    EXPECT_FALSE(isAlive(pid));
}

TEST(ChildProcess, CtrlCIsPassedOnOnceAndWaitedFor) {
    std::atomic<bool> pressed = false;
    const auto outcome = runChild(
        {.command = {"/bin/sh",
                     "-c",
                     "trap 'echo asked; n=1' INT; echo ready >&2; while [ -z \"$n\" ]; do sleep "
                     "0.05; done; sleep 0.3; echo kept"},
         .interrupted = [&] { return pressed.load(); },
         .onError = [&](std::string_view) { pressed = true; }});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->end, ChildOutcome::End::Interrupted);
    EXPECT_EQ(outcome->out, "asked\nkept\n");
}

TEST(ChildProcess, OneThatWillNotStopIsEnded) {
    const double seconds = secondsOf([&] {
        const auto outcome =
            runChild({.command = {"/bin/sh", "-c", "trap '' INT TERM; while :; do sleep 0.1; done"},
                      .mostSeconds = 0.2,
                      .graceSeconds = 0.2});
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->end, ChildOutcome::End::OutOfTime);
    });
    EXPECT_LT(seconds, 10.0);
}

}  // namespace
}  // namespace fabricast
