#include "planner/text/text_file.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// What the program answers to someone who types these lines.
ProgramOutput asked(const std::vector<std::string>& arguments,
                    const std::vector<std::string>& lines) {
    Surroundings surroundings;
    std::size_t next = 0;
    surroundings.ask = [&](const std::string& /*question*/) {
        return next < lines.size() ? std::optional(lines[next++]) : std::nullopt;
    };
    return runProgram(arguments, surroundings);
}

TEST(Init, WritesAScenarioThatIsRead) {
    const std::string file = tempFolder() + "started.json";
    ASSERT_EQ(ran("init --yes -m llama-3.1-70b -c dgx-h200 -n 4 --stack fsdp2", {file}).code,
              ExitCode::Ok);
    const ProgramOutput answer = ran("explain --no-fail", {file});
    EXPECT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("llama-3.1-70b on 4 x dgx-h200"), std::string::npos) << answer.out;
    EXPECT_NE(answer.out.find("global batch 64"), std::string::npos) << answer.out;
}

TEST(Init, HasCommentsThatAreKeysOnceTheirMarksAreGone) {
    const std::string file = tempFolder() + "whole.json";
    ASSERT_EQ(ran("init --yes", {file}).code, ExitCode::Ok);
    const std::string whole =
        std::regex_replace(readTextFile(file).value_or(""), std::regex("// \\\""), "\"");
    EXPECT_EQ(whole.find("// \""), std::string::npos);
    ASSERT_TRUE(writeTextFile(file, whole));
    const ProgramOutput answer = ran("explain --section all -f json --no-fail", {file});
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    EXPECT_NE(answer.out.find("\"kind\": \"full\""), std::string::npos);
}

TEST(Init, KeepsAFileThatIsThereUnlessForced) {
    const std::string file = tempFolder() + "mine.json";
    ASSERT_TRUE(writeTextFile(file, "{}"));
    const ProgramOutput refused = ran("init --yes", {file});
    EXPECT_EQ(refused.code, ExitCode::BadInput);
    EXPECT_NE(refused.err.find("--force"), std::string::npos) << refused.err;
    EXPECT_EQ(readTextFile(file).value_or(""), "{}");
    EXPECT_EQ(ran("init --yes --force", {file}).code, ExitCode::Ok);
    EXPECT_NE(readTextFile(file).value_or("{}"), "{}");
}

TEST(Init, AsksAndTakesTheDefaultForAnEmptyLine) {
    const std::string file = tempFolder() + "asked.json";
    const ProgramOutput answer =
        asked({"init", "--seq", "4096", file}, {"llama-3.2-1b", "", "2", "", "32"});
    ASSERT_EQ(answer.code, ExitCode::Ok) << answer.err;
    const std::string text = readTextFile(file).value_or("");
    for (const char* part : {"\"llama-3.2-1b\"",
                             "\"dgx-h100\", \"nodes\": 2",
                             "\"sequence\": 4096",
                             "\"global_batch\": 32",
                             "// \"stack\""}) {
        EXPECT_NE(text.find(part), std::string::npos) << part << text;
    }
}

TEST(Init, WritesNothingWhereTheInputEndsOrNobodyCanBeAsked) {
    const std::string file = tempFolder() + "none.json";
    EXPECT_EQ(asked({"init", file}, {"llama-3.2-1b"}).code, ExitCode::Interrupted);
    EXPECT_EQ(ran("init", {file}).code, ExitCode::BadInput);
    EXPECT_EQ(ran("init --yes -c no-such-node", {file}).code, ExitCode::BadInput);
    EXPECT_EQ(ran("init --yes -m", {"a\"b\n", "-n", "01", file}).code, ExitCode::Ok);
    EXPECT_NE(readTextFile(file).value_or("").find(R"("a\"b\n")"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
