#include "gui/charts/scatter.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

const ChartTheme kScatterTheme = lightChartTheme();

ScatterValues points(const std::vector<std::pair<int, int>>& places) {
    ScatterValues values{.title = "Plans",
                         .x = {"memory", AxisUnit::Number},
                         .y = {"speed", AxisUnit::Number},
                         .groups = {"megatron"}};
    for (const auto& [x, y] : places) {
        values.points.push_back({.x = static_cast<double>(x),
                                 .y = static_cast<double>(y),
                                 .id = static_cast<std::uint32_t>(values.points.size() + 100),
                                 .fits = (x + y) % 5 != 0});
    }
    return values;
}

rc::Gen<std::vector<std::pair<int, int>>> somePlaces() {
    return rc::gen::container<std::vector<std::pair<int, int>>>(
        rc::gen::pair(rc::gen::inRange(0, 30), rc::gen::inRange(0, 30)));
}

bool beats(const ScatterValues& values, const ScatterPoint& a, const ScatterPoint& b) {
    const double sign = values.betterX == BetterEnd::High ? 1.0 : -1.0;
    const bool notWorse = sign * a.x >= sign * b.x && a.y >= b.y;
    return notWorse && (a.x != b.x || a.y != b.y);
}

RC_GTEST_PROP(ParetoFronts, AreThePointsThatNoOtherBeats, ()) {
    ScatterValues values = points(*somePlaces());
    values.betterX = *rc::gen::element(BetterEnd::Low, BetterEnd::High);
    std::vector<std::pair<double, double>> expected;
    for (const ScatterPoint& point : values.points) {
        const bool beaten = std::ranges::any_of(values.points, [&](const ScatterPoint& other) {
            return other.fits && beats(values, other, point);
        });
        if (point.fits && !beaten) {
            expected.emplace_back(point.x, point.y);
        }
    }
    std::ranges::sort(expected);
    expected.erase(std::unique(expected.begin(), expected.end()), expected.end());
    std::vector<std::pair<double, double>> found;
    for (const std::size_t index : paretoFront(values)) {
        found.emplace_back(values.points[index].x, values.points[index].y);
    }
    RC_ASSERT(found == expected);  // also that it goes by x
}

RC_GTEST_PROP(NearestPoints, AreNearest, ()) {
    const ScatterValues values = points(*somePlaces());
    const PlotFrame frame = scatterFrame(values, wholeView(values), {500, 400}, kScatterTheme);
    const QPointF place(*rc::gen::inRange(0, 500), *rc::gen::inRange(0, 400));
    const auto distance = [&](const ScatterPoint& point) {
        const QPointF away = frame.placeOf(point.x, point.y) - place;
        return std::hypot(away.x(), away.y());
    };
    double best = 40.0;
    for (const ScatterPoint& point : values.points) {
        best = std::min(best, distance(point));
    }
    const int found = nearestPoint(values, frame, place, 40.0);
    if (found >= 0) {
        RC_ASSERT(std::abs(distance(values.points[static_cast<std::size_t>(found)]) - best) < 1e-9);
    } else {
        RC_ASSERT(best >= 40.0 || !frame.plot.contains(place));
    }
}

TEST(ScatterView, ShowsAllPointsAndTheLimit) {
    ScatterValues values = points({{3, 4}, {8, 1}});
    values.xLimit = 20;
    const ScatterView view = wholeView(values);
    EXPECT_TRUE(view.x.contains(3) && view.x.contains(8) && view.x.contains(20));
    EXPECT_TRUE(view.y.contains(4) && view.y.contains(1));
    EXPECT_GT(wholeView(points({})).x.span(), 0.0);
}

TEST(ScatterSteps, GoToTheNextPointInTheirDirection) {
    const ScatterValues values = points({{0, 0}, {10, 0}, {10, 10}, {0, 10}});
    const PlotFrame frame = scatterFrame(values, wholeView(values), {500, 400}, kScatterTheme);
    EXPECT_EQ(pointBeside(values, frame, 0, {1, 0}), 1);
    EXPECT_EQ(pointBeside(values, frame, 1, {0, -1}), 2);
    EXPECT_EQ(pointBeside(values, frame, 2, {-1, 0}), 3);
    EXPECT_EQ(pointBeside(values, frame, 3, {0, 1}), 0);
    EXPECT_EQ(pointBeside(values, frame, 0, {-1, 0}), -1);
    EXPECT_GE(pointBeside(values, frame, -1, {1, 0}), 0) << "from nowhere, somewhere";
}

TEST(ScatterBrush, TakesWhatIsInsideAndShown) {
    const ScatterValues values = points({{0, 0}, {10, 0}, {10, 10}});
    const PlotFrame frame = scatterFrame(values, wholeView(values), {500, 400}, kScatterTheme);
    const QPointF corner = frame.placeOf(9, 11);
    EXPECT_EQ(pointsIn(values, frame, QRectF(corner, frame.placeOf(11, -1))),
              (std::vector<std::uint32_t>{101, 102}));
    EXPECT_EQ(pointsIn(values, frame, frame.plot).size(), 3U);
}

TEST(ScatterPicks, KeepTheirLetterInThePlot) {
    const QRectF plot(40, 10, 400, 200);
    for (const QPointF& place : {plot.topLeft(),
                                 plot.topRight(),
                                 plot.bottomLeft(),
                                 plot.bottomRight(),
                                 plot.center(),
                                 QPointF(plot.right() - 10, plot.top() + 2)}) {
        const QRectF plate = pickPlate(place, 18.0, plot);
        EXPECT_TRUE(plot.contains(plate)) << place.x() << ", " << place.y();
        EXPECT_GE(std::abs(plate.center().x() - place.x()), kPickRing / 2) << "beside the ring";
    }
}

TEST(ScatterPicks, DoNotCoverEachOther) {
    const QRectF plot(0, 0, 400, 300);
    for (const double x : {100.0, 395.0}) {
        const QRectF a = pickPlate({x, 100}, 18.0, plot);
        const QRectF b = plateBeside(pickPlate({x - 3.0, 104}, 18.0, plot), a, plot);
        EXPECT_FALSE(b.intersects(a)) << x;
        EXPECT_TRUE(plot.contains(b)) << x;
    }
    const QRectF far = pickPlate({200, 200}, 18.0, plot);
    EXPECT_EQ(plateBeside(far, pickPlate({50, 50}, 18.0, plot), plot), far);
}

TEST(ScatterWords, SayWhatIsSeen) {
    ScatterValues values = points({{1, 5}, {4, 2}, {6, 8}});  // 1+5 and 4+2 fit; 6+8 too
    values.points[0].label = "tp8 pp4";
    EXPECT_EQ(pointText(values, values.points[0]), "tp8 pp4\nspeed: 5\nmemory: 1\nmegatron");
    EXPECT_EQ(describeScatter(values, paretoFront(values)),
              "Plans: speed against memory of 3 plans, of which 3 fit. The best trade-offs are 2 "
              "plans, from 5 at 1 to 8 at 6.");
    EXPECT_EQ(describeScatter(points({}), {}), "Plans: no plans.");
    EXPECT_EQ(csvText(scatterTable(values)),
              "plan,memory,speed,group,fits\ntp8 pp4,1,5,megatron,yes\n,4,2,megatron,yes\n"
              ",6,8,megatron,yes\n");
}

}  // namespace
}  // namespace fabricast
