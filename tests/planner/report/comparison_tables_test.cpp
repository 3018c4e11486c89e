#include "planner/report/comparison_report.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// "context" is a key of both: what the ranks of a sequence send, and the driver's memory.
TEST(ComparisonTables, NameAPartAsItsOwnTableDoes) {
    Comparison comparison;
    comparison.sides = {{.name = "A"}, {.name = "B"}};
    constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;
    const Waterfall fall{.from = 4 * kGiB, .to = 2 * kGiB, .parts = {{"context", -2 * kGiB}}};
    const SideDifference difference{
        .side = 1,
        .time = Waterfall{.from = 4.0, .to = 2.0, .parts = {{"context", -2.0}}},
        .memory = fall};
    const Table memory = memoryPartTable(comparison, difference, {});
    ASSERT_EQ(memory.rows.size(), 3U);
    EXPECT_EQ(memory.rows[1].front(), "context");
    const Table time = timeTable(comparison, difference, {});
    ASSERT_EQ(time.rows.size(), 3U);
    EXPECT_EQ(time.rows[1].front(), "context-parallel communication");
}

}  // namespace
}  // namespace fabricast
