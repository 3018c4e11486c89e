#include "planner/schedule/draw_timeline.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

const std::vector<Pass> kWhole = {Pass::Forward, Pass::Backward};
const std::vector<Pass> kSplit = {Pass::Forward, Pass::InputGradient, Pass::WeightGradient};

std::int64_t ticks(const PassTimes& times, std::size_t stage, Pass pass) {
    return times.ticks.at(timeIndex(stage, pass));
}

TEST(PassTimes, AreOneForAllStagesOrOneForEach) {
    const PassTimes times = parsePassTimes("F=20 27 ; B = 44", "3", 2, kWhole).value();
    EXPECT_EQ(ticks(times, 0, Pass::Forward), 20);
    EXPECT_EQ(ticks(times, 1, Pass::Forward), 27);
    EXPECT_EQ(ticks(times, 0, Pass::Backward), 44);
    EXPECT_EQ(ticks(times, 1, Pass::Backward), 44);
    EXPECT_EQ(times.handOver, 3);
    EXPECT_EQ(times.decimals, 0);
}

TEST(PassTimes, ShareTheMostDecimals) {
    const PassTimes times = parsePassTimes("F=1.5;B=2", "0.25", 1, kWhole).value();
    EXPECT_EQ(times.decimals, 2);
    EXPECT_EQ(ticks(times, 0, Pass::Forward), 150);
    EXPECT_EQ(ticks(times, 0, Pass::Backward), 200);
    EXPECT_EQ(times.handOver, 25);
}

TEST(PassTimes, AddUpASplitBackward) {
    const PassTimes times = parsePassTimes("F=3;I=4 5;W=6", "0", 2, kWhole).value();
    EXPECT_EQ(ticks(times, 0, Pass::Backward), 10);
    EXPECT_EQ(ticks(times, 1, Pass::Backward), 11);
    EXPECT_EQ(ticks(parsePassTimes("", "0", 1, kSplit).value(), 0, Pass::WeightGradient), 1);
}

TEST(PassTimes, SayWhatIsWrong) {
    const auto why = [](const char* text, const std::vector<Pass>& needed) {
        const auto times = parsePassTimes(text, "0", 4, needed);
        return times ? std::string("fine") : times.error().why;
    };
    EXPECT_EQ(why("F=1", kWhole), "B is not given");
    EXPECT_EQ(why("F=1;B=2", kSplit), "this schedule splits the backward, and I is not given");
    EXPECT_EQ(why("F=1 2;B=2", kWhole), "F has 2 numbers");
    EXPECT_EQ(why("F=;B=2", kWhole), "F has 0 numbers");
    EXPECT_EQ(why("F=1;F=1;B=2", kWhole), "F is given twice");
    EXPECT_EQ(why("G=1", kWhole), "\"G=1\" is not a pass and its duration");
    EXPECT_EQ(why("12", kWhole), "\"12\" is not a pass and its duration");
    EXPECT_EQ(why("F=1;B=2x", kWhole), "\"2x\" is not a duration");
    EXPECT_EQ(why("F=999999999999;B=1", kWhole), "a duration is too long to count exactly");
    EXPECT_FALSE(parsePassTimes("F=1;B=2", "-1", 4, kWhole));
}

}  // namespace
}  // namespace fabricast
