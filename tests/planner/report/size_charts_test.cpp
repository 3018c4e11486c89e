#include "planner/report/cost_report.h"
#include "planner/report/size_report.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <vector>

namespace fabricast {
namespace {

SizedCluster pricedCluster(const std::string& box, std::int64_t nodes, std::optional<double> usd) {
    SizedCluster cluster;
    cluster.box = box;
    cluster.nodes = nodes;
    cluster.usd = usd;
    cluster.tokensPerSecond = 1000.0 * static_cast<double>(nodes);
    cluster.seconds = 86400.0 / static_cast<double>(nodes);
    return cluster;
}

TEST(SizeCharts, HaveASeriesForEachBoxAndNoPointWithoutAPrice) {
    const std::vector<SizedCluster> clusters = {pricedCluster("dgx-h100", 2, 10.0),
                                                pricedCluster("dgx-h200", 4, 30.0),
                                                pricedCluster("dgx-h200", 8, std::nullopt),
                                                pricedCluster("dgx-h100", 1, 9.0)};
    SizeAnswer answer;
    answer.hasTokens = true;
    const PointChart chart = sizedPoints(clusters, answer);
    EXPECT_EQ(chart.series, (std::vector<std::string>{"dgx-h100", "dgx-h200"}));
    ASSERT_EQ(chart.points.size(), 3U);
    EXPECT_EQ(chart.points[1].series, 1U);
    EXPECT_EQ(chart.points[2].series, 0U);
    EXPECT_DOUBLE_EQ(chart.points[1].x, 0.25);
    EXPECT_DOUBLE_EQ(chart.points[1].y, 30.0);
    EXPECT_EQ(chart.points[1].label, "4");
}

TEST(SizeCharts, LeaveOutNodesThatCannotTrain) {
    const std::array<ScalingPoint, 2> points = {
        ScalingPoint{.nodes = 1, .gpus = 8, .why = "does not fit"},
        ScalingPoint{.nodes = 2, .gpus = 16, .tokensPerSecond = 500.0}};
    const PointChart chart = scalingPoints(points, "dgx-h100");
    ASSERT_EQ(chart.points.size(), 1U);
    EXPECT_DOUBLE_EQ(chart.points[0].x, 2.0);
    EXPECT_DOUBLE_EQ(chart.points[0].y, 500.0);
}

TEST(DollarText, KeepsThreeDigits) {
    EXPECT_EQ(dollarText(0.8), "$0.800");
    EXPECT_EQ(dollarText(1.9), "$1.90");
    EXPECT_EQ(dollarText(50.0), "$50.0");
    EXPECT_EQ(dollarText(99.96), "$100");
    EXPECT_EQ(dollarText(779.2), "$779");
    EXPECT_EQ(dollarText(12345.0), "$12,300");
}

}  // namespace
}  // namespace fabricast
