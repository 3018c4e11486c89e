#include "cli/run_program.h"
#include "planner/text/text_file.h"
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
