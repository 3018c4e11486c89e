#include "planner/text/text_files.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <filesystem>

namespace fabricast {
namespace {

const std::string kEmitAndCheck = "emit -m llama-3.1-8b -c dgx-h100 --stack torchtitan --check";

/// A program in the place of Python, which says this and ends so.
std::string played(const std::string& name, const std::string& says, int ends = 0) {
    const std::string path = tempFolder() + name;
    EXPECT_TRUE(
        writeTextFile(path, "#!/bin/sh\necho '" + says + "'\nexit " + std::to_string(ends) + "\n"));
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

std::string answered(const std::string& version,
                     const std::string& reason,
                     const std::string& missing) {
    return R"({"reader": "torchtitan", "version": ")" + version + R"(", "reason": ")" + reason +
           R"(", "missing": ")" + missing + R"("})";
}

struct PlayedFramework {
    std::string says;
    int ends = 0;
    ExitCode code = ExitCode::Ok;
    std::string expected;
};

TEST(EmitCheck, SaysWhatTheFrameworkItselfSays) {
    const std::vector<PlayedFramework> cases = {
        {.says = answered("0.3.0", "", ""),
         .expected = "\ncheck: accepted by torchtitan 0.3.0 itself\n"},
        {.says = answered("0.3.0", "seq_len: no", ""),
         .code = ExitCode::DoesNotFit,
         .expected = "\ncheck: rejected by torchtitan 0.3.0: seq_len: no\n"},
        {.says = answered("0.2.2", "no", ""),
         .code = ExitCode::DoesNotFit,
         .expected = "\ncheck: the files are for 0.3.0: --framework-version 0.2.2 writes those for "
                     "the one that is there\n"},
        {.says = answered("", "", "torchtitan is not installed"),
         .expected = "\ncheck: not read by torchtitan itself: torchtitan is not installed "
                     "(--python venv/bin/python, where it is)\n"},
        {.says = "", .ends = 3, .expected = "played_python ended with exit code 3"},
        {.says = "", .expected = "says what is no answer"},
        {.says = "{}", .expected = "says what is no answer"},
        {.says = "hello\nhello", .expected = "played_python says what is no answer"}};
    for (const PlayedFramework& one : cases) {
        const std::string python = played("played_python", one.says, one.ends);
        const ProgramOutput answer = ran(kEmitAndCheck + " --python " + python);
        EXPECT_EQ(answer.code, one.code) << one.expected << answer.err;
        EXPECT_NE(answer.out.find(one.expected), std::string::npos) << one.expected << answer.out;
        EXPECT_NE(answer.out.find("\ncheck: read back as the same plan\n"), std::string::npos);
    }
}

TEST(EmitCheck, IsInTheAnswerAsJson) {
    const std::string python = played("played_python", answered("0.3.0", "why not", ""));
    const ProgramOutput answer = ran(kEmitAndCheck + " -f json --python " + python);
    EXPECT_EQ(answer.code, ExitCode::DoesNotFit);
    const JsonValue root = jsonOf(answer.out);
    const JsonValue* const check = root.find("check");
    ASSERT_NE(check, nullptr);
    EXPECT_EQ(check->find("holds")->shown(), "false");
    const JsonValue& framework = check->find("frameworks")->items().front();
    EXPECT_EQ(textOf(framework, "judgement"), "rejected");
    EXPECT_EQ(textOf(framework, "why"), "why not");
}

// Whatever is installed here, the programs by which it is asked answer for each framework.
TEST(EmitCheck, AsksThePythonOfPath) {
    for (const std::string stack : {"fsdp2", "megatron", "megatron --target nemo"}) {
        const ProgramOutput answer = ran(
            "emit -m llama-3.1-8b -c dgx-h100 --check --no-fail --launcher slurm --stack " + stack);
        EXPECT_NE(answer.out.find("\ncheck: read back as the same plan\n"), std::string::npos);
        const bool isAsked = answer.out.find("\ncheck: accepted by ") != std::string::npos ||
                             answer.out.find("\ncheck: not read by ") != std::string::npos;
        EXPECT_TRUE(isAsked) << answer.out.substr(answer.out.find("\ncheck: ")) << answer.err;
        EXPECT_EQ(answer.out.find("ended with exit code"), std::string::npos) << answer.out;
    }
}

// Of programs that are no Trainer's too: with tensor or sequence ranks, and pipelines.
TEST(EmitReadBack, FoldersNameTheirModel) {
    for (const std::string layout : {"cp=8,cp_kind=ulysses,shard=zero3,recompute=full",
                                     "tp=2,shard=zero3,recompute=full",
                                     "pp=2,shard=zero1,recompute=full"}) {
        const std::string folder = tempFolder() + "named_model";
        const std::string cluster = " -c dgx-h100 -n 2 ";
        const ProgramOutput written =
            ran("emit -m llama-3.1-8b --stack deepspeed --seq 8k --global-batch 32 --force" +
                cluster + "--layout " + layout + " --out " + folder);
        EXPECT_EQ(written.code, ExitCode::Ok) << written.err;
        const ProgramOutput back = ran("explain " + folder + cluster);
        EXPECT_NE(back.out.find("\n  llama-3.1-8b on 2 x dgx-h100"), std::string::npos)
            << layout << back.out << back.err;
    }
}

TEST(EmitCheck, RefusesAPythonThatIsNone) {
    const ProgramOutput none = ran(kEmitAndCheck + " --python /no/such");
    EXPECT_EQ(none.code, ExitCode::BadInput);
    EXPECT_NE(none.err.find("error: --python: \"/no/such\" is no program that can be run"),
              std::string::npos);
    const ProgramOutput alone =
        ran("emit -m llama-3.1-8b -c dgx-h100 --stack torchtitan --python python3");
    EXPECT_EQ(alone.code, ExitCode::BadInput);
    EXPECT_NE(alone.err.find("try: --check --python python3"), std::string::npos) << alone.err;
}

}  // namespace
}  // namespace fabricast
