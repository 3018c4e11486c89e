#include "gui/charts/timeline.h"

#include "gui/charts/span_raster.h"
#include "gui/charts/step_curve_paint.h"
#include "tests/gui/charts/sample_charts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace fabricast {
namespace {

const ChartTheme kTimelineTheme = lightChartTheme();
const QSizeF kTimelineSize(800, 500);

/// Two lanes: 0-1 forward, 2-4 backward; and 1-2 forward.
TimelineValues smallTimeline() {
    return {.title = "Step",
            .kinds = {"forward", "backward"},
            .labels = {"F0", "B0"},
            .lanes = {{.name = "stage 0",
                       .start = {0.0, 2.0},
                       .end = {1.0, 4.0},
                       .kind = {0, 1},
                       .label = {0, 1},
                       .critical = {1, 0}},
                      {.name = "stage 1",
                       .start = {1.0},
                       .end = {2.0},
                       .kind = {0},
                       .label = {0},
                       .critical = {}}}};
}

TimelineLayout layoutOf(const TimelineValues& values) {
    return timelineLayout(values, {wholeTime(values)}, kTimelineSize, kTimelineTheme);
}

TEST(TimelineTime, GoesFromFirstToLastSpan) {
    EXPECT_EQ(wholeTime(smallTimeline()), (ValueRange{0.0, 4.0}));
    EXPECT_GT(wholeTime({}).span(), 0.0);
}

TEST(TimelineTime, ZoomsAndMovesWithinTheWhole) {
    const TimelineValues values = smallTimeline();
    const ValueRange near = timeZoomed(values, {0.0, 4.0}, 1.0, 4.0);
    EXPECT_DOUBLE_EQ(near.span(), 1.0);
    EXPECT_DOUBLE_EQ((1.0 - near.low) / near.span(), 0.25) << "1.0 stays where it was";
    EXPECT_EQ(timeZoomed(values, near, 1.0, 0.01), (ValueRange{0.0, 4.0}));
    EXPECT_EQ(timeMoved(values, {0.0, 1.0}, -3.0), (ValueRange{0.0, 1.0}));
    EXPECT_EQ(timeMoved(values, {0.0, 1.0}, 99.0), (ValueRange{3.0, 4.0}));
    ValueRange nearest{0.0, 4.0};
    for (int zoom = 0; zoom < 100; ++zoom) {
        nearest = timeZoomed(values, nearest, 2.5, 10.0);
    }
    EXPECT_GT(nearest.span(), 0.0);
    EXPECT_TRUE(nearest.contains(2.5));
}

TEST(TimelineHits, FindTheSpanUnderAPlaceOrNextToIt) {
    const TimelineValues values = smallTimeline();
    const TimelineLayout layout = layoutOf(values);
    const auto at = [&](std::size_t lane, double time, double aside = 0.0) {
        return spanAt(
            values, layout, {layout.frame.xOf(time) + aside, layout.lanes[lane].center().y()});
    };
    EXPECT_EQ(at(0, 0.5), (SpanRef{0, 0}));
    EXPECT_EQ(at(0, 3.0), (SpanRef{0, 1}));
    EXPECT_EQ(at(1, 1.5), (SpanRef{1, 0}));
    EXPECT_EQ(at(0, 1.5), std::nullopt) << "idle";
    EXPECT_EQ(at(0, 1.0, 1.5), (SpanRef{0, 0})) << "a pixel beside it";
    EXPECT_EQ(spanAt(values, layout, {1.0, 1.0}), std::nullopt);
}

TEST(TimelineHits, AgreeWithTheBoxesOfAllSpans) {
    const TimelineValues values = sampleTimeline(6, 12);
    const TimelineLayout layout = layoutOf(values);
    for (std::uint32_t lane = 0; lane < values.lanes.size(); ++lane) {
        for (std::uint32_t span = 0; span < values.lanes[lane].size(); ++span) {
            const SpanRef each{lane, span};
            EXPECT_EQ(spanAt(values, layout, spanBox(values, layout, each).center()), each);
        }
    }
}

TEST(TimelineHits, HaveNoBoxOutsideTheView) {
    const TimelineValues values = smallTimeline();
    const TimelineLayout layout =
        timelineLayout(values, {{1.5, 1.8}}, kTimelineSize, kTimelineTheme);
    EXPECT_TRUE(spanBox(values, layout, {0, 0}).isEmpty());
    EXPECT_TRUE(spanBox(values, layout, {0, 1}).isEmpty());
    EXPECT_NEAR(spanBox(values, layout, {1, 0}).width(), layout.frame.plot.width(), 1e-9)
        << "it goes beyond both ends";
}

TEST(TimelineSteps, GoAlongALaneAndToTheNextOne) {
    const TimelineValues values = smallTimeline();
    EXPECT_EQ(spanBeside(values, {0, 0}, 1), (SpanRef{0, 1}));
    EXPECT_EQ(spanBeside(values, {0, 0}, -1), std::nullopt);
    EXPECT_EQ(spanBeside(values, {0, 1}, 1), std::nullopt);
    EXPECT_EQ(spanInLaneBeside(values, {0, 0}, 1), (SpanRef{1, 0}));
    EXPECT_EQ(spanInLaneBeside(values, {1, 0}, -1), (SpanRef{0, 1})) << "next after 1.5";
    EXPECT_EQ(spanInLaneBeside(values, {1, 0}, 1), std::nullopt);
}

TEST(TimelineLayouts, ShowAsManyLanesAsHaveSpace) {
    const TimelineValues values = sampleTimeline(200, 4);
    const TimelineLayout layout =
        timelineLayout(values, {wholeTime(values), 20}, kTimelineSize, kTimelineTheme);
    EXPECT_EQ(layout.firstLane, 20U);
    EXPECT_EQ(layout.lanes.size(), layout.laneRoom);
    EXPECT_LT(layout.lanes.size(), 180U);
    for (std::size_t lane = 1; lane < layout.lanes.size(); ++lane) {
        EXPECT_GE(layout.lanes[lane].top(), layout.lanes[lane - 1].bottom());
    }
    ASSERT_EQ(layout.curves.size(), 1U);
    EXPECT_GE(layout.curves[0].top(), layout.lanes.back().bottom());
    EXPECT_TRUE(spanBox(values, layout, {5, 0}).isEmpty()) << "scrolled away";
}

TEST(StepMaxima, KeepEveryPeak) {
    const StepCurve curve{.name = "m", .times = {0.0, 1.0, 1.01, 2.0}, .bytes = {1, 9, 2, 3}};
    EXPECT_EQ(stepMaxima(curve, {0.0, 4.0}, 4), (std::vector<double>{1, 9, 3, 3}));
    EXPECT_EQ(stepMaxima(curve, {1.5, 3.5}, 2), (std::vector<double>{3, 3}));
}

TEST(TimelineWords, SayWhatIsSeen) {
    const TimelineValues values = smallTimeline();
    EXPECT_EQ(spanText(values, {0, 0}),
              "F0: forward\nstage 0\n1 s, from 0 s to 1 s\non the critical path");
    EXPECT_EQ(spanText(values, {1, 0}), "F0: forward\nstage 1\n1 s, from 1 s to 2 s");
    EXPECT_EQ(describeTimeline(values),
              "Step: 4 s on 2 lanes, 3 spans. Of the time of all lanes: forward 25 %, backward "
              "25 %, idle 50 %.");
    EXPECT_EQ(describeTimeline({.title = "Step"}), "Step: nothing happens.");
    EXPECT_EQ(csvText(timelineTable(values)),
              "lane,span,kind,start (s),end (s),critical\nstage 0,F0,forward,0,1,yes\n"
              "stage 0,B0,backward,2,4,no\nstage 1,F0,forward,1,2,no\n");
}

/// What is measured has kinds of its own, behind all that is simulated.
TEST(Timeline, NoTwoKindsHaveOneColour) {
    for (const ChartTheme& theme : {lightChartTheme(), darkChartTheme()}) {
        std::set<QRgb> colours;
        for (std::size_t kind = 0; kind < kMostSpanKinds; ++kind) {
            EXPECT_TRUE(colours.insert(kindColour(theme, kind).rgb()).second) << kind;
        }
        EXPECT_EQ(kindColour(theme, 0), theme.series[0]);
    }
}

}  // namespace
}  // namespace fabricast
