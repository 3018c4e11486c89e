#include "gui/charts/curve.h"

#include "tests/gui/charts/sample_charts.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

const ChartTheme kCurveTheme = lightChartTheme();
const QSizeF kCurveSize(700, 400);

TEST(Curves, ShowAllPointsAndIntervals) {
    for (const CurveValues& values : {sampleScaling(), sampleBandwidth()}) {
        const CurveLayout layout = curveLayout(values, kCurveSize, kCurveTheme);
        for (const CurvePlace& place : layout.points) {
            EXPECT_TRUE(layout.frame.plot.contains(place.at));
            const CurvePoint& point = values.series[place.series].points[place.point];
            if (point.interval) {
                EXPECT_GE(layout.frame.yOf(point.interval->high), layout.frame.plot.top());
                EXPECT_LE(layout.frame.yOf(point.interval->low), layout.frame.plot.bottom());
            }
        }
    }
}

TEST(Curves, StartAtZeroWhereTheyShould) {
    CurveValues values = sampleBandwidth();
    EXPECT_EQ(curveLayout(values, kCurveSize, kCurveTheme).frame.yRange.low, 0.0);
    values.fromZero = false;
    for (CurveSeries& series : values.series) {
        for (CurvePoint& point : series.points) {
            point = {point.x, point.y + 1e12, std::nullopt};
        }
    }
    EXPECT_GT(curveLayout(values, kCurveSize, kCurveTheme).frame.yRange.low, 0.9e12);
}

TEST(Curves, FindTheNearestPoint) {
    const CurveLayout layout = curveLayout(sampleScaling(), kCurveSize, kCurveTheme);
    EXPECT_EQ(curvePointAt(layout, layout.points[5].at + QPointF(3, -2), 20), 5);
    EXPECT_EQ(curvePointAt(layout, {0, 0}, 20), -1);
}

TEST(Curves, StepsGoAlongASeriesAndToThePointAboveOrBelow) {
    const CurveLayout layout = curveLayout(sampleScaling(), kCurveSize, kCurveTheme);
    EXPECT_EQ(curvePointBeside(layout, -1, {.points = 1}), 0);
    EXPECT_EQ(curvePointBeside(layout, 0, {.points = 1}), 1);
    EXPECT_EQ(curvePointBeside(layout, 0, {.points = -1}), -1);
    const int above = curvePointBeside(layout, 4, {.series = 1});
    ASSERT_GE(above, 0);
    const CurvePlace& other = layout.points[static_cast<std::size_t>(above)];
    EXPECT_EQ(other.series, 1U);
    EXPECT_EQ(other.point, 4U);
    EXPECT_EQ(curvePointBeside(layout, 4, {.series = -1}), -1);
}

TEST(Curves, AreDescribed) {
    CurveValues values = sampleScaling();
    values.series.resize(1);
    EXPECT_EQ(describeCurve(values),
              "Throughput against the number of GPUs: tokens/s against GPUs. best layout: from "
              "7.04k at 8 to 9.12M at 16384.");
    EXPECT_EQ(curvePointText(values, 0, 0),
              "best layout\nGPUs: 8\ntokens/s: 7.04k (5.77k to 7.6k)");
    EXPECT_EQ(curveTable(values).rows.size(), 12U);
}

TEST(Curves, OfNothingAreAnEmptyPlot) {
    const CurveLayout layout = curveLayout({.title = "Nothing"}, kCurveSize, kCurveTheme);
    EXPECT_TRUE(layout.points.empty());
    EXPECT_TRUE(layout.frame.plot.isValid());
}

}  // namespace
}  // namespace fabricast
