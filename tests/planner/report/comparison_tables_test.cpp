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

/// Half a percent is less than a forecast's error, and still a difference.
TEST(ComparisonTables, HaveEveryNumberThatDiffers) {
    Comparison comparison;
    comparison.sides = {{.name = "A"}, {.name = "B"}};
    comparison.numbers = {
        {.key = "a", .title = "step time", .unit = NumberUnit::Duration, .values = {1.846, 1.848}},
        {.key = "b", .title = "GPUs", .unit = NumberUnit::Count, .values = {8.0, 8.0}},
        {.key = "c", .title = "tokens/s", .unit = NumberUnit::Count, .values = {8.0, 8.0000001}}};
    const Table shown = numberTable(comparison, {});
    ASSERT_EQ(shown.rows.size(), 1U);
    EXPECT_EQ(shown.rows[0],
              (std::vector<std::string>{"step time, s", "1.846", "1.848", "+0.002", "+0.1 %"}));
    EXPECT_EQ(numberTable(comparison, {.leastChange = 0.01}).rows.size(), 0U);
    EXPECT_EQ(numberTable(comparison, {.all = true}).rows.size(), 4U);
}

}  // namespace
}  // namespace fabricast
