#include "planner/report/memory_report.h"

#include "planner/report/scales.h"
#include "tests/support/golden.h"
#include "tests/support/memory_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(MemoryReport, IsWrittenForPeopleAndForSpreadsheets) {
    expectGolden("memory_report.txt", memoryText(exampleScenario(), exampleMemory()), kExact);
    expectGolden("memory_report.md", memoryMarkdown(exampleScenario(), exampleMemory()), kExact);
    expectGolden("memory_report.csv", memoryCsv(exampleMemory()), kExact);
}

TEST(MemoryReport, WhyOpensTheFormulaOfAStage) {
    const MemoryBreakdown memory = exampleMemory();
    EXPECT_EQ(*memoryWhy(memory, "stages[1].activations"),
              "stages[1].activations = 32,212,254,720 B (30.00 GiB)\n"
              "  20 layers x 4 microbatches x 168,072 B x 1,024 tokens\n"
              "  source: saved tensors of the recorded frameworks\n");
    EXPECT_EQ(*memoryWhy(memory, "activations"), *memoryWhy(memory, "stages[0].activations"));
    EXPECT_EQ(memoryWhy(memory, "stages[4].activations").error().why,
              "unknown number \"stages[4].activations\"");
    EXPECT_EQ(memoryWhy(memory, "activation").error().hint,
              "one of: activations, rounding, peak, reserve, headroom, capacity, interval.low, "
              "interval.high, worst, pinned");
    EXPECT_FALSE(memoryWhy(MemoryBreakdown{}, ""));
    EXPECT_TRUE(memoryWhy(memory, "capacity")->starts_with("stages[0].capacity = "));
    EXPECT_NE(memoryWhy(memory, "peak")->find("activations 51,539,607,552 B"), std::string::npos)
        << *memoryWhy(memory, "peak");
    EXPECT_EQ(largestTerm(memory), "activations");
    EXPECT_EQ(largestTerm(MemoryBreakdown{}), "");
}

TEST(MemoryReport, AnEmptyAnswerIsStillText) {
    EXPECT_NE(memoryText(Scenario{}, MemoryBreakdown{}), "");
    EXPECT_NE(memoryCsv(MemoryBreakdown{}), "");
}

TEST(ByteScale, TakesTheLargestUnitBelowTheSize) {
    EXPECT_EQ(byteScaleFor(Bytes(1 << 30)).unit, "GiB");
    EXPECT_EQ(byteScaleFor(Bytes((1 << 30) - 1)).unit, "MiB");
    EXPECT_EQ(byteScaleFor(Bytes(0)).unit, "B");
    EXPECT_EQ(byteScaleFor(Bytes(1 << 30)).text(Bytes(3 << 29)), "1.50");
}

}  // namespace
}  // namespace fabricast
