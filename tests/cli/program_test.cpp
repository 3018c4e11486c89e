#include "cli/run_program.h"
#include "planner/text/text_files.h"
#include "tests/support/golden.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

ProgramOutput answerTo(const std::vector<std::string>& arguments) {
    return runProgram(arguments, {});
}

TEST(Program, SaysWhatItIs) {
    EXPECT_EQ(answerTo({"--version"}).out.substr(0, 10), "fabricast ");
    const ProgramOutput help = answerTo({"--help"});
    EXPECT_EQ(help.code, ExitCode::Ok);
    EXPECT_NE(help.out.find("Exit codes: 0 ok, 1 does not fit"), std::string::npos);
    EXPECT_EQ(help.err, "");
}

TEST(Program, ErrorsGoToStandardErrorWithWhatToType) {
    const ProgramOutput none = answerTo({"-q"});
    EXPECT_EQ(none.code, ExitCode::BadInput);
    EXPECT_EQ(none.out, "");
    EXPECT_EQ(none.err, "error: missing command after \"fabricast\"\n  try: fabricast --help\n");
    EXPECT_EQ(answerTo({"hlep"}).err,
              "error: unknown command \"hlep\"\n  try: did you mean \"help\"?\n");
    EXPECT_EQ(answerTo({"help", "--fromat", "json"}).err,
              "error: --fromat: unknown flag\n  try: --format\n");
    EXPECT_EQ(answerTo({"plan", "--sequence", "8k"}).err,
              "error: --sequence: unknown flag\n  try: --seq\n");
    EXPECT_EQ(answerTo({"plan", "-m", "gpt2", "-c", "dgx-h100", "-n", "null"}).err,
              "error: -n: \"null\" is no value: --set takes a key away\n"
              "  try: --set cluster.nodes=null\n");
    EXPECT_EQ(answerTo({"plan", "-m", "gpt2", "-c", "16xdgx-h100"}).err,
              "error: -c: no cluster or node is called \"16xdgx-h100\"\n"
              "  try: -c dgx-h100 -n 16\n");
    EXPECT_EQ(answerTo({"help", "exit-codes", "more"}).err,
              "error: \"more\" is not expected after \"fabricast help\"\n"
              "  try: fabricast help --help\n");
    EXPECT_EQ(answerTo({"profiles"}).err,
              "error: missing command after \"fabricast profiles\"\n"
              "  try: fabricast profiles --help\n");
}

TEST(Program, SaysWhatAFlagTakes) {
    EXPECT_EQ(answerTo({"help", "-f", "jsn"}).err,
              "error: --format: cannot be \"jsn\"\n  try: did you mean \"json\"?\n");
    EXPECT_EQ(answerTo({"help", "--color", "maybe"}).err,
              "error: --color: cannot be \"maybe\"\n  try: known: auto, always, never\n");
    EXPECT_EQ(answerTo({"help", "-j", "many"}).err,
              "error: --threads: must be a whole number from 0 to 1024, not \"many\"\n"
              "  try: --threads 0\n");
    EXPECT_EQ(answerTo({"help", "--format"}).err,
              "error: --format: needs a value\n  try: --format text\n");
    EXPECT_EQ(answerTo({"explain", "-m", "a", "-m", "b"}).err,
              "error: --model: is given twice\n  try: one --model\n");
    EXPECT_EQ(answerTo({"plan", "--budget=1000"}).err,
              "error: --budget: unknown flag\n  try: fabricast size --target budget=1000\n");
    EXPECT_EQ(answerTo({"advise", "-c", "a", "-c", "b"}).err,
              "error: --cluster: is given twice: plan and size compare several boxes\n"
              "  try: fabricast plan -c A -c B, or fabricast size -c A -c B\n");
    EXPECT_EQ(answerTo({"compare", "-c", "a", "-c", "b"}).err,
              "error: --cluster: is given twice: commas separate the clusters\n"
              "  try: -c dgx-h100,dgx-h200\n");
    EXPECT_EQ(answerTo({"compare", "--stack", "fsdp2", "--stack", "ddp"}).err,
              "error: --stack: is given twice: commas separate the stacks\n"
              "  try: --stack fsdp2,megatron\n");
    EXPECT_EQ(answerTo({"plan", "--stack", "fsdp2", "--layout", "tp=2", "--layout", "pp=2"}).err,
              "error: --layout: is given twice: commas separate its keys\n"
              "  try: --layout tp=8,pp=4\n");
    EXPECT_EQ(answerTo({"explain", "--layout", "--seq", "5"}).err,
              "error: --layout: needs a value; \"--seq\" is the next flag\n"
              "  try: --layout recompute=full\n");
    EXPECT_EQ(answerTo({"help", "-C", "/no/such/folder"}).err,
              "error: --directory: no such folder: \"/no/such/folder\"\n"
              "  try: --directory DIR\n");
}

TEST(Program, ColorsErrorsOnlyForATerminalOrWhenTold) {
    const std::vector<std::string> wrong = {"help", "no-such-topic"};
    const std::string red = "\x1b[31merror:";
    EXPECT_FALSE(runProgram(wrong, {}).err.starts_with(red));
    EXPECT_TRUE(runProgram(wrong, {.terminalError = true}).err.starts_with(red));
    EXPECT_FALSE(runProgram(wrong, {.terminalError = true, .noColor = true}).err.starts_with(red));
    EXPECT_TRUE(answerTo({"help", "no-such-topic", "--color", "always"}).err.starts_with(red));
    const Surroundings terminal{.terminalError = true};
    EXPECT_FALSE(
        runProgram({"--no-color", "help", "no-such-topic"}, terminal).err.starts_with(red));
}

TEST(Program, HelpKnowsCommandsAndTopics) {
    EXPECT_EQ(answerTo({"help", "exit-codes"}).out.substr(0, 3), "0  ");
    EXPECT_NE(answerTo({"help", "help"}).out.find("TOPIC"), std::string::npos);
    EXPECT_EQ(answerTo({"help"}).out, answerTo({"--help"}).out);
    EXPECT_NE(answerTo({"help", "settings"}).out.find("settings.kernels.loss"), std::string::npos);
    EXPECT_NE(answerTo({"help", "stacks"}).out.find("megatron"), std::string::npos);
    expectGolden("help_layout.txt", answerTo({"help", "layout"}).out);
    EXPECT_EQ(answerTo({"help", "exit-code"}).err,
              "error: help: unknown topic \"exit-code\"\n  try: did you mean \"exit-codes\"?\n");
}

TEST(Program, HelpTextsAreWhatTheDocumentsShow) {
    expectGolden("help.txt", answerTo({"--help"}).out);
    expectGolden("help_model.txt", answerTo({"model", "--help"}).out);
    expectGolden("help_explain.txt", answerTo({"explain", "--help"}).out);
    EXPECT_EQ(answerTo({"help", "explain"}).out, answerTo({"explain", "--help"}).out);
}

TEST(Program, TakesTheFormatOfTheOutputsEnding) {
    const std::string asked = "explain -m llama-3.2-1b -c dgx-h100 --stack fsdp2 ";
    for (const std::string format : {"json", "csv", "md"}) {
        const std::string file = tempFolder() + "answer." + format;
        ASSERT_EQ(ran(asked, {"-o", file}).code, ExitCode::Ok);
        EXPECT_EQ(readTextFile(file).value_or(""), ran(asked + "-f " + format).out) << format;
        ASSERT_EQ(ran(asked + "-f text", {"-o", file}).code, ExitCode::Ok);
        EXPECT_EQ(readTextFile(file).value_or(""), ran(asked).out) << format;
    }
    const std::string page = tempFolder() + "answer.html";
    ASSERT_EQ(ran(asked, {"-o", page}).code, ExitCode::Ok);
    EXPECT_TRUE(readTextFile(page).value_or("").starts_with("<!DOCTYPE html>"));
    EXPECT_EQ(ran("model llama-3.2-1b", {"-o", page}).code, ExitCode::BadInput);
}

TEST(Program, RefusesAFormThatACommandLacks) {
    for (const std::string command : {"import train.toml",
                                      "emit run.json",
                                      "simulate run.json",
                                      "calibrate",
                                      "doctor",
                                      "probe",
                                      "schema scenario"}) {
        const ProgramOutput csv = ran(command, {"-f", "csv"});
        EXPECT_EQ(csv.code, ExitCode::BadInput) << command;
        EXPECT_EQ(csv.out, "") << command;
        const std::string name = command.substr(0, command.find(' '));
        EXPECT_EQ(csv.err,
                  "error: --format: " + name + " has no csv: it prints text, json" +
                      (name == "simulate" ? ", html, pdf" : "") + "\n  try: --format text\n");
    }
    for (const std::string command :
         {"errors 2", "help flags", "man plan", "completion bash", "init --yes run.json"}) {
        EXPECT_EQ(ran(command, {"-f", "json"}).code, ExitCode::BadInput) << command;
    }
    EXPECT_EQ(ran("advise run.json", {"-f", "csv"}).err,
              "error: --format: advise has no csv: it prints text, json, md, html, pdf\n"
              "  try: --format text\n");
    EXPECT_EQ(ran("import train.toml", {"-o", tempFolder() + "train.csv"}).code,
              ExitCode::BadInput);
}

TEST(Program, WritesTheAnswerToAFile) {
    const ProgramOutput elsewhere = answerTo({"help", "exit-codes", "-o", "/dev/null"});
    EXPECT_EQ(elsewhere.out, "");
    EXPECT_EQ(elsewhere.code, ExitCode::Ok);
    EXPECT_EQ(answerTo({"help", "-o", "/no/such/folder/x"}).code, ExitCode::Environment);
}

}  // namespace
}  // namespace fabricast
