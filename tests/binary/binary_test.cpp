#include "planner/text/text_files.h"
#include "tests/binary/process.h"
#include "tests/support/temp_folder.h"
#include "tests/support/text_mutator.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace fabricast {
namespace {

const std::string kScenarios = FABRICAST_SOURCE_DIR "/tests/cases/scenarios";

TEST(Binary, AnswersAndExits) {
    EXPECT_EQ(runBinary({"model", "gpt2"}, {}).code, 0);
    EXPECT_EQ(runBinary({"explain",
                         "-m",
                         "gpt3-175b",
                         "--gpu",
                         "rtx-4090",
                         "--gpus-per-node",
                         "1",
                         "--stack",
                         "ddp"},
                        {})
                  .code,
              1);
    EXPECT_EQ(runBinary({"model", "gpt-two"}, {}).code, 2);
    EXPECT_EQ(runBinary({}, {}).code, 0);  // help
}

TEST(Binary, AReaderThatHasSeenEnoughIsNoFailure) {
    const Ended ended = runBinary({"model", "gpt2"}, {.brokenPipe = true});
    EXPECT_EQ(ended.code, 0);
    EXPECT_EQ(ended.err, "");
}

TEST(Binary, AnAnswerThatCannotBeWrittenIsAFailure) {
    EXPECT_EQ(runBinary({"model", "gpt2"}, {.out = "/dev/full"}).code, 4);
    EXPECT_EQ(runBinary({"model", "gpt2"}, {.out = ""}).err,
              "error: standard output: cannot be written: Bad file descriptor\n"
              "  try: -o FILE, where there is room\n");
    EXPECT_EQ(runBinary({"model", "gpt2", "-o", "/dev/full"}, {}).code, 4);
}

TEST(Binary, StandardOutputByNameIsWrittenThrough) {
    const std::string file = tempFolder() + "/fabricast_stdout.txt";
    EXPECT_EQ(runBinary({"model", "gpt2", "-o", "/proc/self/fd/1"}, {.out = file}).code, 0);
    const auto text = readTextFile(file);
    ASSERT_TRUE(text);
    EXPECT_EQ(text->substr(0, 4), "gpt2");
}

TEST(Binary, ALimitOnFilesIsAFailureNotASignal) {
    const std::string file = tempFolder() + "/fabricast_limited.txt";
    std::ofstream(file) << "old";
    const rlimit before = [] {
        rlimit limit{};
        (void)::getrlimit(RLIMIT_FSIZE, &limit);
        return limit;
    }();
    const rlimit few{.rlim_cur = 100, .rlim_max = before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &few), 0);
    const Ended ended = runBinary({"model", "gpt2", "-o", file}, {});
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
    EXPECT_EQ(ended.code, 4);
    EXPECT_EQ(ended.err,
              "error: " + file +
                  ": cannot be written: File too large\n"
                  "  try: a file in a folder that takes new ones, on a disk with room\n");
    EXPECT_EQ(readTextFile(file), "old");
}

TEST(Binary, ReadsAScenarioFromStandardInput) {
    const std::string file = kScenarios + "/llama_8b_two_nodes.json";
    EXPECT_EQ(runBinary({"explain", "-"}, {.in = file}).code, 0);
    const Ended broken = runBinary({"explain", "-"}, {.in = "/dev/null"});
    EXPECT_EQ(broken.code, 2);
    EXPECT_EQ(broken.err.substr(0, 27), "error: standard input:1:1: ");
}

TEST(Binary, NoFileCrashesIt) {
    const auto original = readTextFile(kScenarios + "/config_beside_it.json");
    ASSERT_TRUE(original);
    const std::string file = tempFolder() + "/fabricast_binary.json";
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const std::string text = TextMutator(1'000'000 + seed).mutated(*original);
        std::ofstream(file, std::ios::binary) << text;
        const Ended ended = runBinary({"explain", file, "-f", "json"}, {});
        EXPECT_TRUE(ended.code >= 0 && ended.code <= 2) << ended.code << ended.err << text;
    }
}

}  // namespace
}  // namespace fabricast
