#include "planner/profiles/correction_json.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Result<StepIntervals> intervalsIn(const std::string& text) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, "ours.json"));
    return readStepIntervals(root);
}

StepIntervals intervalsWith(const ComparisonError& comparison) {
    StepIntervals intervals{.title = "Ours", .from = "runs.csv", .classes = {}};
    intervals.classes["all"] = {.below = 0.9, .above = 1.25, .runs = 40, .sources = 3};
    intervals.comparison = comparison;
    return intervals;
}

TEST(StepIntervalsJson, KeepsTheErrorOfAComparison) {
    const StepIntervals ours =
        intervalsWith({.sameSplit = {.error = 0.0557, .pairs = 213, .sources = 7},
                       .otherSplit = {.error = 0.096, .pairs = 487, .sources = 9}});
    const auto read = intervalsIn(stepIntervalsJson(ours, "ours"));
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->comparison.sameSplit.error, 0.0557);
    EXPECT_EQ(read->comparison.sameSplit.pairs, 213);
    EXPECT_EQ(read->comparison.otherSplit.sources, 9);
    EXPECT_EQ(read->comparison.larger(), 0.096);
}

TEST(StepIntervalsJson, LeavesOutAKindWithoutPairs) {
    const std::string none = stepIntervalsJson(intervalsWith({}), "ours");
    EXPECT_EQ(none.find("comparison"), std::string::npos) << none;
    EXPECT_EQ(intervalsIn(none)->comparison.sameSplit.error, kErrorOfAnyPair);
    const std::string one = stepIntervalsJson(
        intervalsWith({.sameSplit = {}, .otherSplit = {.error = 0.1, .pairs = 30, .sources = 1}}),
        "ours");
    EXPECT_EQ(one.find("same_split"), std::string::npos) << one;
    const auto read = intervalsIn(one);
    ASSERT_TRUE(read) << read.error().text();
    EXPECT_EQ(read->comparison.sameSplit.pairs, 0);
    EXPECT_EQ(read->comparison.otherSplit.error, 0.1);
}

TEST(StepIntervalsJson, PointsAtAComparisonThatIsWrong) {
    std::string text = stepIntervalsJson(
        intervalsWith({.sameSplit = {.error = 0.05, .pairs = 30, .sources = 1}, .otherSplit = {}}),
        "ours");
    text.replace(text.find("0.05"), 4, "-0.5");
    const auto read = intervalsIn(text);
    ASSERT_FALSE(read);
    EXPECT_NE(read.error().text().find("ours.json:"), std::string::npos) << read.error().text();
}

}  // namespace
}  // namespace fabricast
