#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

namespace fabricast {
namespace {

const std::vector<std::string> kPlain = {
    "explain", "-m", "gpt2", "-c", "dgx-h100", "--stack", "ddp"};

ProgramOutput explainedWith(const std::vector<std::string>& more) {
    std::vector<std::string> all = kPlain;
    all.insert(all.end(), more.begin(), more.end());
    return runProgram(all, {});
}

void expectRefused(const ProgramOutput& answer,
                   const std::string& begins,
                   const std::string& hint) {
    EXPECT_EQ(answer.code, ExitCode::BadInput) << answer.out;
    EXPECT_EQ(answer.out, "");
    EXPECT_EQ(answer.err.find("error: " + begins), 0U) << answer.err;
    EXPECT_NE(answer.err.find("\n  try: " + hint), std::string::npos) << answer.err;
}

TEST(Contradictions, AreRefused) {
    expectRefused(explainedWith({"-q", "-v"}), "--quiet: ", "one of the two");
    expectRefused(
        explainedWith({"--why", "context", "--sensitivity"}), "--why: ", "one of the two");
    const std::string file = tempFolder() + "answer.pdf";
    expectRefused(explainedWith({"-f", "html", "-o", file}),
                  "-o: \"" + file + "\" would hold html, as --format says",
                  "leave out --format, or -o " + tempFolder() + "answer.html");
    EXPECT_FALSE(std::filesystem::exists(file));
    const std::string text = tempFolder() + "answer.txt";
    EXPECT_EQ(explainedWith({"-f", "json", "-o", text}).code, ExitCode::Ok);
}

TEST(Contradictions, HintsCanBeTyped) {
    expectRefused(explainedWith({"--seq", "8192"}), "--seq: ", "--seq 1024\n");
    expectRefused(explainedWith({"--host-memory", "0"}), "--host-memory: ", "write \"1 GB\"");
    expectRefused(ran("explain", {""}), "scenario: has an empty value", "leave it out");
    expectRefused(ran("explain", {tempFolder() + "none"}), tempFolder(), "the path of a file");
}

/// torch ends at its start with that error: no part of the answer says that it fits.
TEST(Contradictions, APipelineThatDoesNotStartHasNoMemoryEither) {
    const std::vector<std::string> short1F1B = {"-m",
                                                "llama-3.1-8b",
                                                "-c",
                                                "dgx-h100",
                                                "--stack",
                                                "torchtitan",
                                                "--global-batch",
                                                "4",
                                                "--layout",
                                                "pp=4,dp=2,micro_batch=1,schedule=1f1b"};
    for (const char* const section : {"memory", "time", "all"}) {
        std::vector<std::string> asked = short1F1B;
        asked.insert(asked.end(), {"--section", section});
        expectRefused(
            ran("explain", asked),
            "--layout: layout.schedule: ValueError: Number of microbatches (2) must be greater",
            "--global-batch 8 (4 microbatches)");
    }
}

TEST(Contradictions, ATextInUtf16IsNotReadAsNothing) {
    const std::string script = tempFolder() + "run16.sh";
    ASSERT_TRUE(writeTextFile(script, std::string("\xFF\xFEt\0o\0", 6)));
    for (const std::string command : {"import", "lint", "explain"}) {
        expectRefused(ran(command, {script}), script + ":1:1: is in UTF-16", "iconv -f UTF-16");
    }
    ASSERT_TRUE(writeTextFile(script, std::string("\xFF\xFE\0\0t\0\0\0", 8)));
    expectRefused(ran("import", {script}), script + ":1:1: is in UTF-32", "iconv -f UTF-32");
}

TEST(Contradictions, AnUnknownFileIsNotImported) {
    const std::string file = tempFolder() + "unknown.json";
    ASSERT_TRUE(writeTextFile(file, R"({"a": 1})"));
    for (const std::string form : {"text", "json"}) {
        expectRefused(ran("import", {file, "-f", form}), file + ":1:2: unknown key \"a\"", "");
    }
}

TEST(Contradictions, ANameOfTwoLinesIsShownInOne) {
    const ProgramOutput answer = ran("explain", {"a\nb.json"});
    EXPECT_EQ(answer.err.find("error: a\\x0ab.json: "), 0U) << answer.err;
}

}  // namespace
}  // namespace fabricast
