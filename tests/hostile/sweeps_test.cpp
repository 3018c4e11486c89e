// Sweeps that are killed at any moment, cut and shared out: the file ends the same.
#include "tests/hostile/scratch_folder.h"
#include "tests/hostile/soundness.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <array>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

const Words kPlans = {FABRICAST_BINARY,
                      "plan",
                      "-m",
                      "gpt2",
                      "-c",
                      "8x-rtx-4090",
                      "--global-batch",
                      "64",
                      "--sweep",
                      "cluster.nodes=1,2,3,4,6,8",
                      "--sweep",
                      "workload.sequence=512,1024"};
const Words kSizes = {FABRICAST_BINARY,
                      "size",
                      "-m",
                      "llama-3.2-1b",
                      "-c",
                      "dgx-h100",
                      "-n",
                      "1,2,4",
                      "--seq",
                      "2048",
                      "--global-batch",
                      "64",
                      "--tokens",
                      "1B",
                      "--stack",
                      "fsdp2",
                      "--sweep",
                      "target.days=0.01,0.02,0.05,0.1,0.5,1"};

Words keptIn(const Words& words, const std::string& file) {
    Words kept = words;
    kept.insert(kept.end(), {"--out", file});
    return kept;
}

class Sweeps : public testing::TestWithParam<Words> {};

TEST_P(Sweeps, GoOnAfterAKillWithTheSameBytes) {
    const ScratchFolder folder;
    const Disturbed whole = disturbedRun(keptIn(GetParam(), folder.at("whole")));
    ASSERT_EQ(whole.code, 0) << whole.err;
    const std::string bytes = folder.text("whole");
    for (const int signal : {SIGKILL, SIGTERM}) {
        const std::string name = "killed" + std::to_string(signal);
        for (const double share : {0.2, 0.5, 0.8}) {
            const Disturbed run =
                disturbedRun(keptIn(GetParam(), folder.at(name)),
                             {.signal = signal, .after = share * whole.cpuSeconds});
            EXPECT_TRUE(run.code == 128 + signal || run.code == 0) << run.code << run.err;
            // Before it listens for signals it is ended without a word.
            if (run.code == 128 + SIGTERM && !run.out.empty()) {
                EXPECT_NE(run.out.find("the same command goes on from "), std::string::npos)
                    << run.out << run.err;
            }
        }
        const Disturbed last = disturbedRun(keptIn(GetParam(), folder.at(name)));
        EXPECT_EQ(last.code, 0) << last.err;
        EXPECT_EQ(last.out, whole.out);
        EXPECT_EQ(folder.text(name), bytes);
    }
}

TEST_P(Sweeps, OfSeveralRanksAreTheWhole) {
    const ScratchFolder folder;
    ASSERT_EQ(disturbedRun(keptIn(GetParam(), folder.at("whole"))).code, 0);
    for (const char* rank : {"2", "0", "1"}) {
        const Disturbed run = disturbedRun(
            keptIn(GetParam(), folder.at("shared")),
            {.variables = {
                 std::string("SLURM_PROCID=") + rank, "SLURM_NTASKS=3", "SLURM_STEP_ID=0"}});
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_EQ(troubleOf(run), "");
    }
    EXPECT_EQ(folder.text("shared"), folder.text("whole"));
}

TEST_P(Sweeps, DropALineThatIsCutAndRefuseOneThatIsDamaged) {
    const ScratchFolder folder;
    ASSERT_EQ(disturbedRun(keptIn(GetParam(), folder.at("whole"))).code, 0);
    const std::string bytes = folder.text("whole");
    const std::string cut = folder.write("cut", bytes.substr(0, bytes.size() - 30));
    const Disturbed run = disturbedRun(keptIn(GetParam(), cut));
    EXPECT_EQ(run.code, 0) << run.err;
    EXPECT_NE(run.err.find("the line is cut and was dropped"), std::string::npos) << run.err;
    EXPECT_EQ(folder.text("cut"), bytes);
    const std::string damaged = folder.write("damaged", "{\"a\": \n" + bytes);
    const Disturbed refused = disturbedRun(keptIn(GetParam(), damaged));
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find("damaged:1:"), std::string::npos) << refused.err;
    EXPECT_NE(refused.err.find("remove that line"), std::string::npos) << refused.err;
}

TEST_P(Sweeps, OneAtATimeWritesAFile) {
    const ScratchFolder folder;
    ASSERT_EQ(disturbedRun(keptIn(GetParam(), folder.at("whole"))).code, 0);
    std::vector<std::thread> started;
    std::array<Disturbed, 4> runs;
    for (Disturbed& run : runs) {
        started.emplace_back([&] { run = disturbedRun(keptIn(GetParam(), folder.at("shared"))); });
    }
    for (std::thread& one : started) {
        one.join();
    }
    std::size_t whole = 0;
    for (const Disturbed& run : runs) {
        whole += run.code == 0 ? 1 : 0;
        const bool isRefused = run.code == 2 && run.out.empty() &&
                               run.err.starts_with("error: " + folder.at("shared")) &&
                               run.err.find("another sweep is writing it") != std::string::npos;
        EXPECT_TRUE(run.code == 0 || isRefused) << run.code << run.err;
    }
    EXPECT_GE(whole, 1U);
    EXPECT_EQ(folder.text("shared"), folder.text("whole"));
    EXPECT_EQ(folder.names(), Words({"shared", "whole"}));
}

TEST_P(Sweeps, APipeOrADeviceKeepsNoPoints) {
    const ScratchFolder folder;
    ASSERT_EQ(::mkfifo(folder.at("pipe").c_str(), 0600), 0);
    for (const std::string& place :
         {std::string("/dev/stdout"), std::string("/dev/full"), folder.at("pipe"), folder.path()}) {
        const Disturbed refused = disturbedRun(keptIn(GetParam(), place), {.mostSeconds = 20.0});
        EXPECT_EQ(refused.code, 2) << place << refused.err;
        EXPECT_EQ(refused.out, "");
        EXPECT_NE(refused.err.find("error: --out: " + place), std::string::npos) << refused.err;
    }
}

TEST_P(Sweeps, MillionsOfPointsAreRefusedAtOnce) {
    std::string values = "1";
    for (int value = 2; value <= 200; ++value) {
        values += "," + std::to_string(value);
    }
    Words words = GetParam();
    for (const char* key : {"layout.tp", "layout.pp", "layout.cp"}) {
        words.insert(words.end(), {"--sweep", key + ("=" + values)});
    }
    const Disturbed refused = disturbedRun(words);
    EXPECT_EQ(refused.code, 2);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find("more points than the 100000 of one sweep"), std::string::npos)
        << refused.err;
    EXPECT_LT(refused.cpuSeconds, 2.0);
}

INSTANTIATE_TEST_SUITE_P(Both, Sweeps, testing::Values(kPlans, kSizes), [](const auto& one) {
    return one.param[1];
});

}  // namespace
}  // namespace fabricast
