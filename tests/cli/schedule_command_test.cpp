#include "cli/run_program.h"
#include "planner/text/json_document.h"
#include "tests/support/golden.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace schedule_command_test {

ProgramOutput run(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "schedule");
    return runProgram(arguments, {});
}

TEST(ScheduleCommand, WritesEveryFormat) {
    const std::vector<std::string> titan = {
        "zbv", "--stack", "torchtitan", "--durations", "F=4.1;I=4.3;W=3.8", "--p2p", "0.2"};
    const auto with = [&](const std::string& format) {
        std::vector<std::string> arguments = titan;
        arguments.insert(arguments.end(), {"--pp", "2", "--microbatches", "3", "-f", format});
        return run(arguments).out;
    };
    expectGolden("schedule_1f1b.txt", run({"1f1b", "--pp", "4"}).out, kExact);
    expectGolden("schedule_zbv.txt", run(titan).out, kExact);
    expectGolden("schedule_zb_h2.txt", run({"zb-h2", "--durations", "F=1;I=1;W=1"}).out, kExact);
    expectGolden("schedule_v_half.txt", run({"v-half", "--durations", "F=1;I=1;W=1"}).out, kExact);
    expectGolden("schedule_dualpipe.txt", run({"dualpipe", "--pp", "4"}).out, kExact);
    expectGolden("schedule_interleaved.txt",
                 run({"interleaved",
                      "--stack",
                      "megatron",
                      "--pp",
                      "40",
                      "--group",
                      "40",
                      "--microbatches",
                      "80"})
                     .out,
                 kExact);
    expectGolden("schedule_zbv.json", with("json"), kExact);
    expectGolden("schedule_zbv.md", with("md"), kExact);
    expectGolden("schedule_zbv.csv", with("csv"), kExact);
}

TEST(ScheduleCommand, SpellsActionsAsTheFrameworksDo) {
    const auto rankText = [](std::vector<std::string> arguments, std::size_t rank) {
        arguments.insert(arguments.end(), {"-f", "json"});
        const ProgramOutput output = run(arguments);
        const auto root = parseJson(output.out, "out");
        return root ? root->find("ranks")->items()[rank].find("actions")->text().value_or("")
                    : output.err;
    };
    EXPECT_EQ(rankText({"1f1b", "--stack", "deepspeed", "--pp", "2", "--microbatches", "2"}, 0),
              "0F0 0F1 0B0 0B1");
    EXPECT_EQ(rankText({"dualpipev", "--stack", "torch", "--pp", "2", "--microbatches", "4"}, 1),
              "1F0 2F0 1F1 2F1 1F2 2B0 2F2&1B0 1F3&2B1 2F3&1B1 2B2 1B2 2I3 1I3 2W3 1W3");
    EXPECT_EQ(
        rankText({"Interleaved-Overlap-EP", "--stack", "nemo", "--pp", "2", "--microbatches", "2"},
                 1),
        "1F0 1F1 3F0 3F1&3B0 3B1 1B0 1B1");
}

TEST(ScheduleCommand, RefusesInTheFrameworksWords) {
    const ProgramOutput few = run({"1f1b", "--stack", "torchtitan", "--microbatches", "3"});
    EXPECT_EQ(few.code, ExitCode::BadInput);
    EXPECT_EQ(few.err,
              "error: schedule: ValueError: Number of microbatches (3) must be greater than or "
              "equal to the number of stages (4).\n"
              "  try: --microbatches 4\n");
    EXPECT_EQ(run({"1f1b", "--stack", "megatron", "--microbatches", "3"}).code, ExitCode::Ok);
    EXPECT_EQ(run({"gpipe", "--stack", "ddp"}).err,
              "error: --stack: ddp has no pipeline schedules\n"
              "  try: megatron, nemo, torchtitan, torch, deepspeed, or paper\n");
    EXPECT_EQ(run({"gpip"}).err,
              "error: schedule: no schedule is called \"gpip\"\n"
              "  try: did you mean \"gpipe\"?\n");
}

TEST(ScheduleCommand, RefusesWhatItCannotDraw) {
    const std::vector<std::vector<std::string>> bad = {
        {"1f1b", "--pp", "0"},
        {"1f1b", "--pp", "5000"},
        {"1f1b", "--microbatches", "x"},
        {"1f1b", "--pp", "4096", "--microbatches", "131072"},
        {"v-half", "--pp", "513"},
        {"1f1b", "--vpp", "2"},
        {"1f1b", "--group", "4"},
        {"zbv", "--vpp", "3"},
        {"zbv", "--durations", "F=1;B=2"},
        {"1f1b", "--durations", "F=1;B=1e9"},
        {"1f1b", "--p2p", "-1"},
        {"1f1b", "--recv", "never"},
        {"1f1b", "--stack", "nonsense"},
        {"dualpipev", "--stack", "deepspeed", "--microbatches", "7"},
        {}};
    for (const std::vector<std::string>& arguments : bad) {
        const ProgramOutput output = run(arguments);
        EXPECT_EQ(output.code, ExitCode::BadInput) << (arguments.empty() ? "" : arguments.back());
        EXPECT_FALSE(output.err.empty());
    }
}

TEST(ScheduleCommand, AddsUpTheLongestDurationsExactly) {
    const ProgramOutput output = run({"gpipe",
                                      "--pp",
                                      "512",
                                      "--microbatches",
                                      "64",
                                      "--durations",
                                      "F=100000000000;B=100000000000",
                                      "-f",
                                      "json"});
    const auto root = parseJson(output.out, "out");
    ASSERT_TRUE(root) << output.out.substr(0, 200);
    // (m + p - 1)(F + B)
    EXPECT_EQ(root->find("makespan")->integer({}).value_or(0), (64 + 511) * 200'000'000'000);
}

}  // namespace schedule_command_test
}  // namespace fabricast
