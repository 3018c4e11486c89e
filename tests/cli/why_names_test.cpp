#include "tests/support/program_answer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace fabricast {
namespace why_names_test {

/// The cells of a line of a table: two blanks part them.
std::vector<std::string> cellsOf(const std::string& line) {
    std::vector<std::string> cells;
    std::size_t at = 0;
    while (at < line.size()) {
        const std::size_t begin = line.find_first_not_of(' ', at);
        if (begin == std::string::npos) {
            break;
        }
        const std::size_t end = std::min(line.find("  ", begin), line.size());
        cells.push_back(line.substr(begin, end - begin));
        at = end;
    }
    return cells;
}

/// The first cells of a table's rows, by what its heading begins with; the heading's own with
/// `columns`.
std::set<std::string> namesIn(const std::string& text,
                              const std::string& heading,
                              bool columns = false,
                              std::size_t cell = 0) {
    std::set<std::string> names;
    std::istringstream lines(text);
    bool isInside = false;
    for (std::string line; std::getline(lines, line);) {
        const std::vector<std::string> cells = cellsOf(line);
        if (line.starts_with(heading)) {
            isInside = !columns;
            if (columns) {
                names.insert(cells.begin(), cells.end());
            }
        } else if (cells.size() <= cell) {
            isInside = false;
        } else if (isInside) {
            names.insert(cells[cell]);
        }
    }
    return names;
}

/// What the verdict is given by: both ends of the interval, and what lies between them.
TEST(WhyNames, OpensWhatTheVerdictIsGivenBy) {
    const std::string question = "-m llama-3.1-8b -c dgx-h100 --stack fsdp2 --seq 8192";
    for (const char* name : {"interval", "interval.high", "pinned", "worst"}) {
        const ProgramOutput output = ran("explain " + question, {"--why", name});
        EXPECT_EQ(output.code, ExitCode::Ok) << output.err;
        EXPECT_NE(output.out.find(std::string("stages[0].") + name), std::string::npos)
            << output.out;
    }
    // The note on what is estimated names the key that shows it: the context is measured here.
    EXPECT_NE(
        ran("explain " + question).out.find("NCCL's buffers are an estimate (--why collectives)"),
        std::string::npos);
}

void expectKnown(const std::string& question, const std::set<std::string>& names) {
    EXPECT_FALSE(names.empty()) << question;
    for (const std::string& name : names) {
        const ProgramOutput output = ran("explain " + question, {"--no-fail", "--why", name});
        EXPECT_EQ(output.code, ExitCode::Ok) << question << " --why " << name << "\n" << output.err;
        EXPECT_NE(output.out.find(" = "), std::string::npos) << name << ": " << output.out;
    }
}

class WhyNames : public testing::TestWithParam<const char*> {};

TEST_P(WhyNames, EveryRowOfAnExplanationCanBeAsked) {
    const std::string question = std::string(GetParam()) + " --tokens 1T";
    const std::string text = ran("explain " + question, {"--section", "all", "--no-fail"}).out;
    std::set<std::string> columns = namesIn(text, "stage  in flight", true);
    columns.erase("stage");
    expectKnown(question, columns);
    expectKnown(question, namesIn(text, "part  "));
    expectKnown(question, namesIn(text, "axis  "));
    expectKnown(question, namesIn(text, "axis  ", false, 1));
    expectKnown(question, namesIn(text, "axis  ", false, 3));
    expectKnown(question, namesIn(text, "                    "));
    expectKnown(question, {"MFU", "tokens/s per GPU", "checkpoint", "power", "goodput", "time"});
}

TEST_P(WhyNames, EveryRowOfASimulationAndAComparisonCanBeAsked) {
    const std::string question = std::string(GetParam()) + " --tokens 1T";
    const std::string simulated = ran("simulate " + std::string(GetParam()), {"--no-fail"}).out;
    expectKnown(question, namesIn(simulated, "critical path"));
    const std::string compared =
        ran("compare " + question, {"--no-fail", "--with", "seq=2048"}).out;
    std::set<std::string> numbers = namesIn(compared, "number  ");
    numbers.erase("verdict");
    expectKnown(question, numbers);
    std::set<std::string> parts = namesIn(compared, "part  ");
    parts.erase("A");
    parts.erase("B");
    parts.erase("other");
    expectKnown(question, parts);
}

INSTANTIATE_TEST_SUITE_P(
    Questions,
    WhyNames,
    testing::Values("-m llama-3.1-8b -c dgx-h100 --stack fsdp2",
                    "-m llama-3.1-8b -c dgx-h100 --stack fsdp2 "
                    "--layout offload=parameters_cpu,recompute=full",
                    "-m llama-3.1-70b -c dgx-h100 -n 4 --stack megatron --layout tp=4,pp=2,cp=2",
                    "-m mixtral-8x7b -c dgx-h100 -n 4 --stack megatron --layout tp=2,pp=2,ep=4"));

TEST(WhyNamesOfPlan, EveryColumnOfAPlanCanBeAsked) {
    const std::string question = "-m llama-3.2-1b -c dgx-h100 --stack fsdp2";
    expectKnown(question,
                {"step s", "tok/s/GPU", "MFU", "GiB", "$/Mtok", "gathers and reductions", "host"});
}

/// Its bytes, and the time of its step with the bytes that it moves.
TEST(WhyNamesOfPlan, TheOptimizerIsMemoryAndTime) {
    const ProgramOutput output =
        ran("explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2 --why optimizer");
    EXPECT_NE(output.out.find("optimizer = 8,030,261,248 B"), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("time.optimizer = "), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("parameters x (2 x "), std::string::npos) << output.out;
    EXPECT_NE(output.out.find("the fit of h100-sxm5-80gb's kernels"), std::string::npos)
        << output.out;
}

TEST(WhyNamesOfPlan, NamesAreReadInAnyCase) {
    const std::string question = "explain -m llama-3.1-8b -c dgx-h100 --stack fsdp2";
    EXPECT_EQ(ran(question, {"--why", "Matrix products"}).out,
              ran(question, {"--why", "time.gemm"}).out);
}

}  // namespace why_names_test
}  // namespace fabricast
