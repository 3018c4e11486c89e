#include "planner/text/text_files.h"
#include "tests/support/golden.h"
#include "tests/support/program_answer.h"
#include "tests/support/temp_folder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace fabricast {
namespace {

/// What a command that writes a file writes.
std::string written(const std::string& line,
                    const std::string& flag,
                    ExitCode code = ExitCode::Ok) {
    const std::string file = tempFolder() + "picture" + flag;
    const ProgramOutput output = ran(line, {flag, file});
    EXPECT_EQ(output.code, code) << output.err;
    std::string text = readTextFile(file).value_or("");
    std::filesystem::remove(file);
    return text;
}

const std::string kTwoStages =
    "simulate -m llama-3.1-8b -c dgx-h100 --stack megatron --layout tp=4,pp=2 --seq 8192 "
    "--global-batch 4";

std::size_t countOf(const std::string& text, std::string_view part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

TEST(StepPicture, OfTwoStages) {
    expectGolden("step_two_stages.svg", written(kTwoStages, "--svg"));
}

TEST(StepPicture, HasALaneForEachOfSixteenStagesAndFourOfMore) {
    const auto stages = [](const std::string& pp, const std::string& nodes, ExitCode code) {
        return written(
            "simulate -m llama-3.1-405b -c dgx-h100 --stack megatron --seq 8192 "
            "--global-batch 128 --layout tp=8,recompute=full,pp=" +
                pp + " -n " + nodes,
            "--svg",
            code);
    };
    const std::string sixteen = stages("16", "16", ExitCode::DoesNotFit);
    EXPECT_EQ(countOf(sixteen, ">stage "), 16U);
    EXPECT_EQ(sixteen.find(" of 16 stages"), std::string::npos);
    EXPECT_LT(sixteen.size(), 1'500'000U);
    const std::string more = stages("42", "42", ExitCode::Ok);
    EXPECT_LE(countOf(more, ">stage "), 5U);
    EXPECT_NE(more.find(" of 42 stages: first, last,"), std::string::npos);
    EXPECT_NE(more.find("narrower than half a pixel"), std::string::npos);
}

TEST(StepPicture, IsRefusedWhereItCannotBeWritten) {
    for (const char* flag : {"--svg", "--trace"}) {
        const ProgramOutput output = ran(kTwoStages, {flag, "/no/such/folder/x"});
        EXPECT_EQ(output.code, ExitCode::Environment);
        EXPECT_NE(output.err.find("/no/such/folder/x"), std::string::npos) << output.err;
        EXPECT_TRUE(output.out.empty());
    }
}

/// The counters of a trace by process: time, and bytes.
std::map<double, std::vector<std::pair<double, double>>> countersOf(const JsonValue& trace) {
    std::map<double, std::vector<std::pair<double, double>>> counters;
    for (const JsonValue& event : trace.find("traceEvents")->items()) {
        if (textOf(event, "ph") == "C") {
            counters[numberOf(event, "pid")].emplace_back(numberOf(event, "ts"),
                                                          numberOf(*event.find("args"), "bytes"));
        }
    }
    return counters;
}

TEST(StepTrace, CountsTheMemoryOfEveryStage) {
    const auto counters = countersOf(jsonOf(written(kTwoStages, "--trace")));
    ASSERT_EQ(counters.size(), 2U);
    const JsonValue root = jsonOf(ran(kTwoStages, {"--format", "json"}).out);
    for (std::size_t stage = 0; stage < 2; ++stage) {
        const auto& points = counters.at(static_cast<double>(stage));
        const JsonValue& memory = root.find("memory")->find("stages")->items()[stage];
        EXPECT_EQ(points.size(), memory.find("timeline")->items().size());
        EXPECT_EQ(points.back().second, numberOf(memory, "between_steps_bytes"));
        const auto most =
            std::ranges::max_element(points, {}, [](const auto& point) { return point.second; });
        EXPECT_EQ(most->second, numberOf(memory, "requested_bytes"));
        EXPECT_EQ(most->second, numberOf(memory, "peak_bytes"));
        EXPECT_NEAR(most->first, 1e6 * numberOf(memory, "peak_at_s"), 1e-3);
        EXPECT_LE(numberOf(memory, "peak_at_s"), numberOf(memory, "peak_until_s"));
        EXPECT_EQ(textOf(memory, "peak_moment"), textOf(memory, "peak_at"));
    }
}

TEST(StepMemory, IsTheSameWithEveryRank) {
    const JsonValue one = jsonOf(ran(kTwoStages, {"--format", "json"}).out);
    const JsonValue all = jsonOf(ran(kTwoStages, {"--format", "json", "--expand"}).out);
    for (std::size_t stage = 0; stage < 2; ++stage) {
        const auto at = [stage](const JsonValue& root) {
            return numberOf(root.find("memory")->find("stages")->items()[stage], "peak_at_s");
        };
        EXPECT_EQ(at(one), at(all));
    }
}

TEST(StepMemory, OfMoreThanEightStagesIsThatOfTheEndsAndTheFullest) {
    const JsonValue root =
        jsonOf(ran("simulate -m llama-3.1-405b -c dgx-h100 -n 16 --stack megatron --seq 8192 "
                   "--global-batch 32 --layout tp=8,pp=16,recompute=full --format json")
                   .out);
    const JsonValue* memory = root.find("memory");
    std::size_t known = 0;
    for (const JsonValue& stage : memory->find("stages")->items()) {
        known += stage.find("timeline") != nullptr ? 1U : 0U;
    }
    EXPECT_GE(known, 2U);
    EXPECT_LE(known, 5U);
    const auto fullest = static_cast<std::size_t>(numberOf(*memory, "fullest_stage"));
    EXPECT_NE(memory->find("stages")->items()[fullest].find("timeline"), nullptr);
}

}  // namespace
}  // namespace fabricast
