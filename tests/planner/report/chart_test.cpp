#include "planner/report/chart.h"

#include "planner/report/scales.h"
#include "planner/report/svg_words.h"
#include "tests/support/well_formed.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

namespace fabricast {
namespace {

TEST(NumberIn, IsWhatACellBeginsWith) {
    EXPECT_EQ(numberIn("6,577"), 6577.0);
    EXPECT_EQ(numberIn("79.9??"), 79.9);
    EXPECT_EQ(numberIn("$0.125"), 0.125);
    EXPECT_EQ(numberIn("34.2 %"), 34.2);
    EXPECT_EQ(numberIn("-4.27"), -4.27);
    EXPECT_EQ(numberIn("+46.19"), 46.19);
    for (const char* none : {"", "-", "fits", "$", "+", "never 3"}) {
        EXPECT_EQ(numberIn(none), std::nullopt) << none;
    }
}

TEST(Waterfall, EndsWhereTheTableSays) {
    const Table table{
        {{"part"}, {"change"}, {"sum"}},
        {{"A", "", "10.0"}, {"less", "-4.0", "6.0"}, {"more", "+1.0", "7.0"}, {"B", "", "7.0"}}};
    const BarChart chart = waterfallOf(table, "sum");
    ASSERT_EQ(chart.bars.size(), 4U);
    EXPECT_EQ(chart.bars[1].lengths.front().from, 10.0);
    EXPECT_EQ(chart.bars[1].lengths.front().to, 6.0);
    EXPECT_EQ(chart.bars[2].lengths.front().from, 6.0);
    EXPECT_EQ(chart.bars[2].text, "+1.0");
    EXPECT_EQ(chart.bars[3].lengths.front().from, 0.0);
}

TEST(StackedBars, SumToTheirTotal) {
    const Table table{{{"stage"}, {"in flight"}, {"weights"}, {"loss"}, {"peak"}},
                      {{"0-2", "4", "3.5", "1.5", "5.0"}}};
    const BarChart chart = stackedBarsOf(table, "weights", "peak");
    ASSERT_EQ(chart.bars.size(), 1U);
    EXPECT_EQ(chart.bars[0].label, "stage 0-2");
    EXPECT_EQ(chart.bars[0].lengths.back().to, 5.0);
    EXPECT_EQ(chart.series, (std::vector<std::string>{"weights", "loss"}));
    EXPECT_TRUE(stackedBarsOf(table, "weights", "nothing").bars.empty());
}

TEST(ChartAxis, HasRoundTicksBetweenItsEnds) {
    const std::array<double, 3> values = {3.1, 47.0, 61.0};
    const ChartAxis even = ChartAxis::around(values, false);
    EXPECT_EQ(even.ticks(), (std::vector<double>{0.0, 20.0, 40.0, 60.0}));
    EXPECT_EQ(even.share(even.low()), 0.0);
    EXPECT_EQ(even.share(even.high()), 1.0);
    const std::array<double, 2> wide = {0.05, 200.0};
    EXPECT_EQ(ChartAxis::around(wide, true).ticks(), (std::vector<double>{0.1, 1.0, 10.0, 100.0}));
    const std::array<double, 1> one = {0.0};
    EXPECT_LT(ChartAxis::around(one, false).low(), ChartAxis::around(one, false).high());
}

TEST(ChartAxis, WritesLargeNumbersShort) {
    EXPECT_EQ(tickText(0.05), "0.05");
    EXPECT_EQ(tickText(6500.0), "6,500");
    EXPECT_EQ(tickText(500'000.0), "500,000");
    EXPECT_EQ(tickText(1'000'000.0), "1M");
    EXPECT_EQ(tickText(1'200'000.0), "1.2M");
    EXPECT_EQ(tickText(2e9), "2B");
    EXPECT_EQ(tickText(-5e12), "-5T");
}

/// Where the texts that are set to the left of a point begin.
double leastBeginning(const std::string& svg) {
    constexpr double kLetter = 7.2;  // of the chart's text
    double least = 0.0;
    const std::string anchor = "text-anchor=\"end\">";
    for (std::size_t at = svg.find(anchor); at != std::string::npos;
         at = svg.find(anchor, at + 1)) {
        const std::size_t x = svg.rfind("<text x=\"", at) + 9;
        const std::size_t text = at + anchor.size();
        const auto letters = static_cast<double>(svg.find('<', text) - text);
        least = std::min(least, std::stod(svg.substr(x)) - letters * kLetter);
    }
    return least;
}

TEST(PointsSvg, HasRoomForItsNumbersAndItsTitle) {
    PointChart chart{.title = "t", .xTitle = "x", .yTitle = "tokens/s"};
    for (const double y : {123'456'000.0, 123'456'100.0, 900'100.0}) {
        chart.points = {{.x = 1.0, .y = y}, {.x = 2.0, .y = y * 1.0001}};
        EXPECT_EQ(leastBeginning(pointsSvg(chart)), 0.0) << pointsSvg(chart);
    }
}

TEST(PointsSvg, LeavesOutWhatIsNoPlaceOnTheAxis) {
    PointChart chart{.title = "t", .xTitle = "x", .yTitle = "y", .logarithmic = true};
    for (const double bad : {0.0, -1.0, std::numeric_limits<double>::infinity()}) {
        chart.points.push_back({.x = bad, .y = 1.0});
    }
    const std::string none = pointsSvg(chart);
    EXPECT_EQ(xmlTrouble(none), "");
    EXPECT_EQ(none.find("inf"), std::string::npos);
    EXPECT_EQ(none.find("nan"), std::string::npos);
    EXPECT_EQ(none.find("<circle"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
