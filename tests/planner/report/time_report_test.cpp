#include "planner/report/time_report.h"

#include "planner/report/scales.h"
#include "tests/support/golden.h"
#include "tests/support/memory_example.h"
#include "tests/support/step_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

Scenario exampleQuestion() {
    Scenario scenario = exampleScenario();
    scenario.cluster.fabric.name = "ib-ndr";
    scenario.cluster.node.gpuFabricName = "nvlink4";
    return scenario;
}

TEST(TimeReport, IsWrittenForPeopleAndForSpreadsheets) {
    expectGolden(
        "time_report.txt", reportText(timeReport(exampleQuestion(), exampleStep())), kExact);
    expectGolden("time_report.md", timeMarkdown(exampleQuestion(), exampleStep()), kExact);
    expectGolden("time_report.csv", timeCsv(exampleStep()), kExact);
}

TEST(CommReport, IsWrittenForPeopleAndForSpreadsheets) {
    expectGolden(
        "comm_report.txt", reportText(commReport(exampleQuestion(), exampleStep(), false)), kExact);
    expectGolden("comm_report.md", commMarkdown(exampleQuestion(), exampleStep()), kExact);
    expectGolden("comm_report.csv", commCsv(exampleQuestion(), exampleStep()), kExact);
}

TEST(CommReport, LeavesOutWhatAddsLeastUnlessAllIsAsked) {
    StepEstimate step = exampleStep();
    step.comm.resize(30, step.comm.back());
    const std::string some = reportText(commReport(exampleQuestion(), step, false));
    EXPECT_NE(some.find("… 10 more rows, 4.000 s of which 1.000 exposed: --verbose"),
              std::string::npos)
        << some;
    EXPECT_EQ(reportText(commReport(exampleQuestion(), step, true)).find("more rows"),
              std::string::npos);
    step.comm.clear();
    EXPECT_NE(reportText(commReport(exampleQuestion(), step, false)).find("no communication"),
              std::string::npos);
}

TEST(TimeReport, WhyPutsTheNumbersIn) {
    const auto why = [](std::string_view key) {
        return timeWhy(exampleQuestion(), exampleStep(), key);
    };
    EXPECT_EQ(*why("time.gemm"),
              "time.gemm = 3.84 s\n  64 microbatches x (0.02 s forward + 0.04 s backward)\n");
    EXPECT_EQ(*why("time"), *why("time.step"));
    EXPECT_NE(why("time.shard")->find("+ 0.1 s once a step"), std::string::npos);
    EXPECT_NE(why("time.mfu")->find("convention matmul"), std::string::npos);
    for (const char* key : {"time.bubble", "time.optimizer", "time.host", "time.stage"}) {
        EXPECT_TRUE(why(key)) << key;
    }
    EXPECT_EQ(why("time.gem").error().why, "unknown number \"time.gem\"");
    EXPECT_TRUE(why("time.gem").error().hint.starts_with("one of: time.step, "));
    StepEstimate unknown = exampleStep();
    unknown.utilisation = {.mfu = {}, .why = "nobody knows", .perToken = {}, .peak = {}};
    EXPECT_EQ(timeWhy(exampleQuestion(), unknown, "time.mfu").error().why,
              "MFU is not known: nobody knows");
}

TEST(TimeReport, SaysWhatAChangeWouldBring) {
    FasterChange change{"layout.tp=4", {}, {Seconds(4.0), {}, {}}, Verdict::Likely};
    EXPECT_EQ(fasterText(exampleStep(), change),
              "--set layout.tp=4: 4.000 s, 26.2 % less, likely fits");
    change.isClear = false;
    EXPECT_EQ(fasterText(exampleStep(), change),
              "--set layout.tp=4: 4.000 s, 26.2 % less (within the error of a comparison), likely "
              "fits");
}

TEST(TimeScale, IsMillisecondsBelowASecond) {
    EXPECT_EQ(timeScaleFor(0.25).withUnit(0.25), "250.00 ms");
    EXPECT_EQ(timeScaleFor(1.0).withUnit(0.25), "0.250 s");
}

}  // namespace
}  // namespace fabricast
