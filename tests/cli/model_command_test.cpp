#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

const std::string kConfigs = FABRICAST_SOURCE_DIR "/tests/cases/params";

ProgramOutput run(std::vector<std::string> arguments) {
    return runProgram(arguments, {});
}

TEST(ModelCommand, WritesEveryFormat) {
    expectGolden("model_llama_8b.txt", run({"model", "llama-3.1-8b"}).out, kExact);
    expectGolden(
        "model_deepseek_v3.txt", run({"model", "deepseek-v3", "--seq", "8192"}).out, kExact);
    expectGolden("model_mixtral.md", run({"model", "mixtral-8x7b", "--format", "md"}).out, kExact);
    expectGolden("model_gpt2.csv", run({"model", "gpt2", "--format", "csv"}).out, kExact);
    expectGolden("model_gpt3.json", run({"model", "gpt3-175b", "--format", "json"}).out, kExact);
}

TEST(ModelCommand, TakesANameAFileOrAFolder) {
    const auto total = [](const std::string& name) {
        const ProgramOutput output = run({"model", name, "-f", "json", "-C", kConfigs});
        const auto root = parseJson(output.out, "out");
        return root ? root->find("parameters")->find("total")->integer({}).value_or(-1) : -1;
    };
    EXPECT_EQ(total("llama-3.2-1b"), 1'235'814'400);
    EXPECT_EQ(total("meta-llama/Llama-3.2-1B"), 1'235'814'400);
    EXPECT_EQ(total("Llama-3.2-1B.json"), 1'235'814'400);
    EXPECT_EQ(total(kConfigs + "/Llama-3.2-1B.json"), 1'235'814'400);
}

TEST(ModelCommand, SaysWhereALaunchFileGoes) {
    const std::string file =
        std::string(FABRICAST_SOURCE_DIR) + "/tests/cases/launch_files/examples/qlora.yaml";
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"model", file}, {"plan", "-m", file, "-c", "dgx-h100"}}) {
        const ProgramOutput output = runProgram(words, {});
        EXPECT_EQ(output.code, ExitCode::BadInput) << output.out;
        EXPECT_NE(output.err.find("without -m: fabricast explain"), std::string::npos)
            << output.err;
    }
    const ProgramOutput check = runProgram({"check", file}, {});
    EXPECT_NE((check.out + check.err).find("a launch file names none"), std::string::npos)
        << check.out << check.err;
}

TEST(ModelCommand, SaysWhatItCouldNotFind) {
    const ProgramOutput typo = run({"model", "lama-3.1-8b"});
    EXPECT_EQ(typo.code, ExitCode::BadInput);
    EXPECT_EQ(typo.err,
              "error: model: no model is called \"lama-3.1-8b\"\n"
              "  try: did you mean \"llama-3.1-8b\"? Else give its config.json\n");
    EXPECT_EQ(run({"model", "no/such.json"}).err,
              "error: model: no/such.json cannot be opened: No such file or directory\n"
              "  try: the path of a file that is there\n");
    EXPECT_EQ(run({"model"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"model", "gpt2", "-m", "gpt2"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"model", "-m", "gpt2"}).out, run({"model", "gpt2"}).out);
    EXPECT_EQ(run({"model", "gpt2", "--seq", "0"}).code, ExitCode::BadInput);
}

}  // namespace
}  // namespace fabricast
