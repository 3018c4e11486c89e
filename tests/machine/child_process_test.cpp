#include "machine/child_process.h"

#include "machine/listening_socket.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <stop_token>
#include <thread>

namespace fabricast {
namespace {

double secondsOf(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A dead process that nobody has waited for yet does not count.
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
    EXPECT_EQ(endText(*killed), "was killed by a signal: Killed");
    // Its error is a part of one here.
    const auto refused = runChild({.command = {"/bin/sh", "-c", "echo error: p: why >&2; exit 2"}});
    EXPECT_EQ(endText(*refused), "ended with exit code 2\n    p: why");
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
    const std::string pid = tempFolder() + "fabricast_stalled.pid";
    std::filesystem::remove(pid);
    const double seconds = secondsOf([&] {
        const auto outcome = runChild(
            {.command = {"/bin/sh", "-c", "sleep 300 & echo $! > " + pid + "; echo x >&2; wait"},
             .silentSeconds = 0.3});
        ASSERT_TRUE(outcome);
        EXPECT_EQ(outcome->end, ChildOutcome::End::Stalled);
        EXPECT_EQ(endText(*outcome), "stopped printing and was killed\n    x");
    });
    EXPECT_LT(seconds, 10.0);
    for (int look = 0; look < 40 && isAlive(pid); ++look) {
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    EXPECT_TRUE(std::filesystem::exists(pid));
    EXPECT_FALSE(isAlive(pid));
}

TEST(ChildProcess, CtrlCIsPassedOnOnceAndWaitedFor) {
    std::stop_source pressed;
    const auto outcome = runChild(
        {.command = {"/bin/sh",
                     "-c",
                     "trap 'echo asked; n=1' INT; echo ready >&2; while [ -z \"$n\" ]; do sleep "
                     "0.05; done; sleep 0.3; echo kept"},
         .stop = pressed.get_token(),
         .onError = [&](std::string_view) { pressed.request_stop(); }});
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

TEST(ChildProcess, OnlyTheFirstCopyGetsTheListeningSocket) {
    auto listener = ListeningSocket::open();
    ASSERT_TRUE(listener) << listener.error().text();
    EXPECT_GT(listener->port(), 0);
    const int handle = listener->release();
    const auto outcome = runChild({.command = {"/bin/sh",
                                               "-c",
                                               "[ -e /proc/self/fd/" + std::to_string(handle) +
                                                   " ] && echo has $COPY; exit 0"},
                                   .environments = {{"COPY=0"}, {"COPY=1"}},
                                   .inherited = handle});
    ASSERT_TRUE(outcome);
    EXPECT_EQ(outcome->out, "has 0\n");
    // Nobody holds it any more, so that callers of a rank that died are refused.
    EXPECT_FALSE(std::filesystem::exists("/proc/self/fd/" + std::to_string(handle)));
}

}  // namespace
}  // namespace fabricast
