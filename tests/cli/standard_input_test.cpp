#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "planner/text/text_files.h"
#include "study/question_flags.h"
#include "tests/support/temp_folder.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <iosfwd>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

using Words = std::vector<std::string>;

const std::string& file() {
    static const std::string path = tempFolder() + "/fabricast_standard_input.json";
    static const bool isWritten = writeTextFile(path, R"({
        "model": "gpt2", "cluster": {"name": "8x-rtx-4090", "nodes": 1}, "stack": "fsdp2",
        "workload": {"sequence": 1024, "global_batch": 64}})")
                                      .has_value();
    EXPECT_TRUE(isWritten);
    return path;
}

/// The program with a file as its standard input.
ProgramOutput ranOnInput(const Words& arguments, const std::string& path) {
    const int before = ::dup(STDIN_FILENO);
    const int input = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_GE(::dup2(input, STDIN_FILENO), 0);
    ::close(input);
    ProgramOutput output = runProgram(arguments, {});
    EXPECT_GE(::dup2(before, STDIN_FILENO), 0);
    ::close(before);
    return output;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at)) {
        text.replace(at, what.size(), by);
        at += by.size();
    }
    return text;
}

/// What runs are about: the times that answering took differ.
std::string withoutTimes(const std::string& text) {
    std::string kept;
    for (std::size_t begin = 0; begin < text.size();) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string line = text.substr(begin, end - begin);
        const bool isTime = line.find("\"seconds\":") != std::string::npos ||
                            line.find("\"wall_seconds\":") != std::string::npos;
        kept += isTime ? "" : line;
        begin = end;
    }
    return kept;
}

struct InputCase {
    std::string command;
    Words flags;
};

void PrintTo(const InputCase& one, std::ostream* out) {
    *out << one.command;
    for (const std::string& flag : one.flags) {
        *out << ' ' << flag;
    }
}

/// A value that each flag of the table takes.
std::string valueFor(const QuestionFlag& flag) {
    const std::vector<std::pair<std::string_view, const char*>> values = {
        {"-m", "gpt2"},
        {"-c", "dgx-a100"},
        {"-n", "2"},
        {"--gpus", "4"},
        {"--gpu", "h100-sxm5-80gb"},
        {"--gpus-per-node", "4"},
        {"--fabric", "roce-400"},
        {"--sites", "1"},
        {"--wan", "100Gbps"},
        {"--wan-latency", "10ms"},
        {"--host-memory", "512GB"},
        {"--nvme", "30TB"},
        {"--nvme-read", "50GB/s"},
        {"--nvme-write", "25GB/s"},
        {"--reserve", "10%"},
        {"--stack", "ddp"},
        {"--layout", "micro_batch=2"},
        {"--seq", "512"},
        {"--global-batch", "128"},
        {"--precision", "fp16"},
        {"--optimizer", "lion"},
        {"--tuning", "full"},
        {"--train", "norms"},
        {"--lora-rank", "16"},
        {"--tokens", "1B"},
        {"--price", "market-2026-05"},
        {"--price-kind", "spot"},
        {"--site", "typical"},
        {"--mtbf", "50000h"},
        {"--checkpoint", "sync"},
        {"--checkpoint-interval", "20min"},
        {"--fix", "recompute=full"},
        {"--forbid", "recompute"},
        {"--allow", "idle_gpus"},
        {"--top", "2"},
        {"--objective", "cost"},
        {"--software", "tuned"}};
    for (const auto& [typed, value] : values) {
        if (typed == flag.typed) {
            return value;
        }
    }
    ADD_FAILURE() << "no value for " << flag.typed;
    return "";
}

std::vector<InputCase> everyFlag() {
    std::vector<InputCase> cases = {
        {"plan", {"--target", "tokens-per-s=1T"}},
        {"plan", {"--target", "mfu=20%", "-f", "json"}},
        {"plan", {"--sensitivity"}},
        {"plan", {"--simulate", "2", "-f", "json"}},
        {"plan", {"--pareto", "-f", "csv"}},
        {"plan", {"--layout", "micro_batch=64"}},
        {"explain", {"--layout", "micro_batch=64"}},
        {"explain", {"--section", "all", "-f", "json"}},
        {"explain", {"--section", "time"}},
        {"explain", {"--sensitivity"}},
        {"explain", {"--why", "activations"}},
        {"explain", {"--set", "settings.kernels.compile=true", "-f", "md"}},
        {"compare", {"--with", "layout.recompute=full"}},
        {"compare", {"--with", "layout.micro_batch=2", "--baseline", "B", "--all"}},
        {"advise", {}},
        {"advise", {"--tokens", "1B", "--max-usd", "100000"}},
        {"simulate", {}},
        {"simulate", {"--stragglers", "1.3", "-f", "json"}},
        {"simulate", {"--steps", "100", "--failures", "--spares", "1", "--runs", "3"}}};
    for (const char* command : {"plan", "explain", "compare", "simulate"}) {
        const bool isPlan = std::string(command) == "plan";
        const auto add = [&](const QuestionFlag& flag) {
            InputCase one{command, {std::string(flag.typed), valueFor(flag)}};
            if (isPlan) {
                one.flags.insert(one.flags.end(), {"--fix", "micro_batch=8"});
            }
            if (one.command == "compare") {
                one.flags.insert(one.flags.end(), {"--with", "layout.recompute=full"});
            }
            if (flag.typed == "--gpus-per-node") {
                one.flags.insert(one.flags.end(), {"--gpu", "h100-sxm5-80gb"});
            }
            cases.push_back(std::move(one));
        };
        for (const QuestionFlag& flag : scenarioFlags()) {
            add(flag);
        }
        if (isPlan) {
            for (const QuestionFlag& flag : searchFlags()) {
                add(flag);
            }
        }
    }
    return cases;
}

class StandardInput : public testing::TestWithParam<InputCase> {};

// Everything that is read is read once: "-" has the answer that the file has.
TEST_P(StandardInput, IsAsGoodAsAFile) {
    Words onFile = {GetParam().command, file()};
    Words onInput = {GetParam().command, "-"};
    onFile.insert(onFile.end(), GetParam().flags.begin(), GetParam().flags.end());
    onInput.insert(onInput.end(), GetParam().flags.begin(), GetParam().flags.end());
    const ProgramOutput expected = runProgram(onFile, {});
    const ProgramOutput output = ranOnInput(onInput, file());
    EXPECT_EQ(output.code, expected.code) << output.err << expected.err;
    EXPECT_EQ(withoutTimes(output.out), withoutTimes(replaced(expected.out, file(), "-")));
    EXPECT_EQ(replaced(output.err, "standard input", file()), expected.err);
}

INSTANTIATE_TEST_SUITE_P(EveryCommand, StandardInput, testing::ValuesIn(everyFlag()));

/// "change" of every fix in an answer of `plan`.
std::vector<std::string> fixesIn(const ProgramOutput& output) {
    std::vector<std::string> changes;
    const auto root = parseJson(output.out, "out");
    EXPECT_TRUE(root) << output.err;
    if (root && root->find("fixes") != nullptr) {
        for (const JsonValue& fix : root->find("fixes")->items()) {
            changes.push_back(fix.find("change")->text().value_or(""));
        }
    }
    return changes;
}

// Each change that is tried loads the model again.
TEST(StandardInputModel, IsReadOnce) {
    const std::string model = FABRICAST_SOURCE_DIR "/hardware_profiles/models/gpt2.json";
    Words asked = {"plan",
                   "-c",
                   "8x-rtx-4090",
                   "--seq",
                   "512",
                   "--global-batch",
                   "64",
                   "--stack",
                   "fsdp2",
                   "-f",
                   "json",
                   "--target",
                   "tokens-per-s=1T",
                   "-m"};
    asked.push_back(model);
    const std::vector<std::string> expected = fixesIn(runProgram(asked, {}));
    EXPECT_GE(expected.size(), 3U);
    asked.back() = "-";
    EXPECT_EQ(fixesIn(ranOnInput(asked, model)), expected);
}

// A search has no one stack: the answer is about one that it was about.
TEST(StandardInput, ExplainsAPlansAnswerOnAStackThatWasSearched) {
    const std::string answer = tempFolder() + "/fabricast_plan_answer.json";
    const ProgramOutput planned = runProgram(
        {"plan", "-m", "gpt2", "-c", "dgx-h100", "--stack", "megatron,fsdp2", "-f", "json"}, {});
    ASSERT_TRUE(writeTextFile(answer, planned.out));
    const ProgramOutput output = ranOnInput({"explain", "-"}, answer);
    EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
    EXPECT_NE(output.out.find(", megatron, dp=8"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("assumed: stack megatron (the first that the search names)"),
              std::string::npos)
        << output.out;
}

TEST(StandardInput, IsALaunchFileOfTheFrameworkThatIsNamed) {
    const std::string yaml = tempFolder() + "/fabricast_standard_input.yaml";
    ASSERT_TRUE(writeTextFile(yaml,
                              "base_model: gpt2\nsequence_len: 1024\nmicro_batch_size: 1\n"
                              "bf16: true\n"));
    const Words asked = {"explain", "-", "-c", "8x-rtx-4090", "--format", "json"};
    Words told = asked;
    told.insert(told.end(), {"--from", "axolotl"});
    const ProgramOutput output = ranOnInput(told, yaml);
    ASSERT_EQ(output.code, ExitCode::Ok) << output.err;
    const ProgramOutput named =
        runProgram({"explain", yaml, "-c", "8x-rtx-4090", "-f", "json"}, {});
    EXPECT_EQ(replaced(output.out, "standard input", yaml), named.out);
    const ProgramOutput untold = ranOnInput(asked, yaml);
    EXPECT_EQ(untold.code, ExitCode::BadInput);
    EXPECT_NE(untold.err.find("try: --from axolotl"), std::string::npos) << untold.err;
}

}  // namespace
}  // namespace fabricast
