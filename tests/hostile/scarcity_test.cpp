// With little of everything: an answer, or a reason.
#include "tests/hostile/scratch_folder.h"
#include "tests/hostile/soundness.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <string>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

const std::vector<Words> kQuestions = {
    {FABRICAST_BINARY, "explain", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp"},
    {FABRICAST_BINARY,
     "plan",
     "-m",
     "gpt2",
     "-c",
     "dgx-h100",
     "--seq",
     "1024",
     "--global-batch",
     "64"},
    {FABRICAST_BINARY, "simulate", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp"}};

TEST(Scarcity, ASmallStackIsRefusedNotOverrun) {
    for (const Words& question : kQuestions) {
        for (const std::uint64_t kilobytes : {96U, 128U, 192U, 256U, 512U, 1023U}) {
            const Disturbed run =
                disturbedRun(question, {.limits = {{RLIMIT_STACK, kilobytes << 10}}});
            EXPECT_EQ(run.code, 4) << kilobytes << run.out;
            EXPECT_NE(run.err.find("try: ulimit -s 8192"), std::string::npos) << run.err;
        }
        const Disturbed enough = disturbedRun(question, {.limits = {{RLIMIT_STACK, 1U << 20}}});
        EXPECT_EQ(troubleOf(enough), "") << enough.err;
        EXPECT_LE(enough.code, 1) << enough.err;
    }
}

TEST(Scarcity, WithoutDescriptorsMemoryOrTimeThereIsAReason) {
    for (const Words& question : kQuestions) {
        for (const std::uint64_t descriptors : {3U, 4U, 5U, 8U}) {
            const Disturbed run =
                disturbedRun(question, {.limits = {{RLIMIT_NOFILE, descriptors}}});
            // What the loader cannot open never begins.
            EXPECT_TRUE(troubleOf(run).empty() || run.code == 127) << descriptors << run.err;
        }
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
        for (const std::uint64_t megabytes : {64U, 80U, 100U, 150U, 300U}) {
            const Disturbed run =
                disturbedRun(question, {.limits = {{RLIMIT_AS, megabytes << 20}}});
            EXPECT_TRUE(troubleOf(run).empty() || run.code == 127) << megabytes << run.err;
        }
#endif
    }
}

TEST(Scarcity, ClosedStreamsAreNotMistakenForFiles) {
    const ScratchFolder folder;
    for (const std::vector<int>& closed : std::vector<std::vector<int>>{{0}, {2}, {0, 2}}) {
        Words words = kQuestions.front();
        words.insert(words.end(), {"-o", folder.at("answer")});
        const Disturbed run = disturbedRun(words, {.closed = closed});
        EXPECT_EQ(run.code, 0) << run.err;
        EXPECT_TRUE(folder.text("answer").starts_with("FITS")) << folder.text("answer");
    }
    EXPECT_EQ(disturbedRun(kQuestions.front(), {.closed = {1}}).code, 4);
}

TEST(Scarcity, APipeAmongProfilesIsNotWaitedFor) {
    const ScratchFolder folder;
    std::filesystem::create_directories(folder.at("profiles/gpus"));
    ASSERT_EQ(::mkfifo(folder.at("profiles/gpus/odd.json").c_str(), 0644), 0);
    for (Words words : kQuestions) {
        words.insert(words.end(), {"--profile-dir", folder.at("profiles")});
        const Disturbed run = disturbedRun(words, {.mostSeconds = 20.0});
        EXPECT_EQ(run.code, 2) << run.err;
        EXPECT_NE(run.err.find("gpus/odd.json: is not a regular file"), std::string::npos)
            << run.err;
    }
}

TEST(Scarcity, AnInputWithoutEndIsCutOff) {
    const std::vector<Words> readers = {
        {"explain", "/dev/zero"},
        {"model", "/dev/zero"},
        {"backtest", "/dev/zero"},
        {"topology", "--file", "/dev/zero", "--gpu", "h100-sxm5-80gb"},
        {"explain", "-m", "gpt2", "-c", "dgx-h100", "--price", "/dev/zero", "--section", "cost"}};
    for (const Words& reader : readers) {
        Words words = {FABRICAST_BINARY};
        words.insert(words.end(), reader.begin(), reader.end());
        const Disturbed run = disturbedRun(words, {.mostSeconds = 30.0});
        EXPECT_EQ(run.code, 2) << reader.front() << run.err;
        EXPECT_EQ(troubleOf(run), "") << run.err;
        EXPECT_LT(run.peakBytes, std::int64_t{1} << 30) << reader.front();
    }
}

}  // namespace
}  // namespace fabricast
