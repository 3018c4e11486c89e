// A signal at any moment: a file is the old one or the new one, and nothing else is left.
#include "tests/hostile/scratch_folder.h"
#include "tests/hostile/soundness.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

struct Work {
    const char* name;
    Words words;
};
const std::vector<Work> kWorks = {
    {"plan", {"plan", "-m", "gpt2", "-c", "dgx-h100", "--seq", "1024", "--global-batch", "64"}},
    {"simulate",
     {"simulate",
      "-m",
      "llama-3.1-8b",
      "-c",
      "dgx-h100",
      "--stack",
      "megatron",
      "--layout",
      "tp=2,pp=4",
      "--global-batch",
      "64",
      "--seq",
      "4096"}}};

Words withOutput(const Work& work, const std::string& file) {
    Words words = {FABRICAST_BINARY};
    words.insert(words.end(), work.words.begin(), work.words.end());
    words.insert(words.end(), {"-o", file, "-q"});
    return words;
}

/// What the work is ended by, and whether it may leave a temporary file behind.
struct Kill {
    int signal;
    bool catchable;
};
constexpr Kill kKills[] = {{SIGINT, true}, {SIGTERM, true}, {SIGHUP, true}, {SIGKILL, false}};

void expectOldOrNew(const ScratchFolder& folder, const Disturbed& run, const std::string& whole) {
    const std::string text = folder.text("answer");
    // What was found until a signal is an answer of its own, and says so.
    const bool isPart = run.code > 128 && text.find("\nstopped: ") != std::string::npos;
    EXPECT_TRUE(text == "old" || text == whole || isPart) << text.substr(0, 200);
    if (run.code == 0 || run.code == 1) {
        EXPECT_EQ(text, whole);
    }
}

TEST(Signals, LeaveTheOldFileOrTheNewOne) {
    for (const Work& work : kWorks) {
        SCOPED_TRACE(work.name);
        const ScratchFolder folder;
        const std::string file = folder.write("answer", "old");
        const Disturbed undisturbed = disturbedRun(withOutput(work, file));
        ASSERT_TRUE(undisturbed.code == 0 || undisturbed.code == 1) << undisturbed.err;
        const std::string whole = folder.text("answer");
        for (const Kill& kill : kKills) {
            // From the first instruction to beyond the last, which no clock can hit twice.
            for (const double share : {0.0, 0.5, 0.9, 1.0}) {
                SCOPED_TRACE(std::to_string(kill.signal) + " at " + std::to_string(share));
                folder.write("answer", "old");
                const Disturbed run =
                    disturbedRun(withOutput(work, file),
                                 {.signal = kill.signal, .after = share * undisturbed.cpuSeconds});
                const bool ended = run.code == 128 + kill.signal || run.code == undisturbed.code;
                EXPECT_TRUE(ended) << run.code << run.err;
                expectOldOrNew(folder, run, whole);
                if (kill.catchable) {
                    EXPECT_EQ(folder.names(), Words({"answer"}));
                }
            }
        }
    }
}

TEST(Signals, WhatWasSimulatedIsSaid) {
    for (const int signal : {SIGINT, SIGTERM}) {
        const Disturbed run = disturbedRun({FABRICAST_BINARY,
                                            "simulate",
                                            "-m",
                                            "gpt2",
                                            "-c",
                                            "dgx-h100",
                                            "-n",
                                            "8",
                                            "--stack",
                                            "ddp",
                                            "--steps",
                                            "10000000",
                                            "--failures",
                                            "--mtbf",
                                            "50h",
                                            "--runs",
                                            "100000",
                                            "--long"},
                                           {.signal = signal, .after = 1.0});
        EXPECT_EQ(run.code, 128 + signal) << run.out << run.err;
        EXPECT_EQ(troubleOf(run), "");
        EXPECT_NE(run.out.find("interrupted after "), std::string::npos) << run.out << run.err;
    }
}

TEST(Signals, NothingWaitsForAPipeThatNobodyOpens) {
    const ScratchFolder folder;
    const std::string pipe = folder.at("pipe");
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
    const std::string scenario =
        folder.write("run.json", R"({"model": "./pipe", "cluster": "dgx-h100", "stack": "ddp"})");
    const std::vector<Words> lines = {{"explain", scenario},
                                      {"plan", "-m", pipe, "-c", "dgx-h100"},
                                      {"explain", "-m", "gpt2", "-c", "dgx-h100", "-o", pipe}};
    for (const Words& line : lines) {
        for (const int signal : {SIGINT, SIGTERM}) {
            Words words = {FABRICAST_BINARY};
            words.insert(words.end(), line.begin(), line.end());
            const Disturbed run =
                disturbedRun(words, {.signal = signal, .after = 1.0, .mostSeconds = 20.0});
            EXPECT_NE(run.code, -1) << "it hangs: " << line.front();
            EXPECT_NE(run.code, 0) << run.out << run.err;
        }
    }
}

TEST(Signals, AReaderThatIsGoneEndsItQuietly) {
    const Disturbed run =
        disturbedRun({"/bin/sh",
                      "-c",
                      "'" FABRICAST_BINARY "' explain -m gpt2 -c dgx-h100 -f json | head -c 1"});
    EXPECT_EQ(run.code, 0);
    EXPECT_EQ(run.out, "{");
    EXPECT_EQ(run.err, "");
}

}  // namespace
}  // namespace fabricast
