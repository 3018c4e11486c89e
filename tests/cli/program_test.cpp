#include "cli/run_program.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

ProgramOutput run(const std::vector<std::string>& arguments) {
    return runProgram(arguments, {});
}

TEST(Program, SaysWhatItIs) {
    EXPECT_EQ(run({"--version"}).out.substr(0, 10), "fabricast ");
    const ProgramOutput help = run({"--help"});
    EXPECT_EQ(help.code, ExitCode::Ok);
    EXPECT_NE(help.out.find("Exit codes: 0 ok, 1 does not fit"), std::string::npos);
    EXPECT_EQ(help.err, "");
}

TEST(Program, ErrorsGoToStandardErrorWithWhatToType) {
    const ProgramOutput none = run({});
    EXPECT_EQ(none.code, ExitCode::BadInput);
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(none.err, "error: a command is needed\n  try: fabricast --help\n");
    EXPECT_EQ(run({"hlep"}).err,
              "error: there is no command \"hlep\"\n  try: did you mean \"help\"?\n");
    EXPECT_EQ(run({"help", "--fromat", "json"}).err,
              "error: --fromat: there is no such flag\n  try: --format\n");
    EXPECT_EQ(run({"help", "exit-codes", "more"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"help", "-j", "many"}).code, ExitCode::BadInput);
    EXPECT_EQ(run({"help", "--format"}).code, ExitCode::BadInput);
}

TEST(Program, ColorsErrorsOnlyForATerminalOrWhenTold) {
    const std::vector<std::string> wrong = {"help", "no-such-topic"};
    const std::string red = "\x1b[31merror:";
    EXPECT_FALSE(runProgram(wrong, {}).err.starts_with(red));
    EXPECT_TRUE(runProgram(wrong, {.terminalError = true}).err.starts_with(red));
    EXPECT_FALSE(runProgram(wrong, {.terminalError = true, .noColor = true}).err.starts_with(red));
    EXPECT_TRUE(run({"help", "no-such-topic", "--color", "always"}).err.starts_with(red));
    const Surroundings terminal{.terminalError = true};
    EXPECT_FALSE(
        runProgram({"--no-color", "help", "no-such-topic"}, terminal).err.starts_with(red));
}

TEST(Program, HelpKnowsCommandsAndTopics) {
    EXPECT_EQ(run({"help", "exit-codes"}).out.substr(0, 3), "0  ");
    EXPECT_NE(run({"help", "help"}).out.find("TOPIC"), std::string::npos);
    EXPECT_EQ(run({"help"}).out, run({"--help"}).out);
    EXPECT_NE(run({"help", "settings"}).out.find("settings.kernels.loss"), std::string::npos);
    EXPECT_NE(run({"help", "stacks"}).out.find("megatron"), std::string::npos);
    expectGolden("help_layout.txt", run({"help", "layout"}).out);
    EXPECT_EQ(
        run({"help", "exit-code"}).err,
        "error: help: there is no topic \"exit-code\"\n  try: did you mean \"exit-codes\"?\n");
}

TEST(Program, HelpTextsAreWhatTheDocumentsShow) {
    expectGolden("help.txt", run({"--help"}).out);
    expectGolden("help_model.txt", run({"model", "--help"}).out);
    expectGolden("help_explain.txt", run({"explain", "--help"}).out);
    EXPECT_EQ(run({"help", "explain"}).out, run({"explain", "--help"}).out);
}

TEST(Program, WritesTheAnswerToAFile) {
    const ProgramOutput elsewhere = run({"help", "exit-codes", "-o", "/dev/null"});
    EXPECT_EQ(elsewhere.out, "");
    EXPECT_EQ(elsewhere.code, ExitCode::Ok);
    EXPECT_EQ(run({"help", "-o", "/no/such/folder/x"}).code, ExitCode::Environment);
}

}  // namespace
}  // namespace fabricast
