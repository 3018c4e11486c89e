#include "gui/charts/memory_bars.h"
#include "gui/charts/svg_canvas.h"
#include "gui/charts/tornado.h"
#include "gui/charts/waterfall.h"
#include "tests/gui/charts/sample_charts.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

const ChartTheme kBarTheme = lightChartTheme();
const QSizeF kBarSize(700, 400);
constexpr double kBarGiB = 1024.0 * 1024.0 * 1024.0;

MemoryBarValues twoStages() {
    return {.title = "Memory",
            .parts = {"weights", "gradients", "loss"},
            .bars = {{.label = "stage 0", .parts = {10 * kBarGiB, 20 * kBarGiB, 0}},
                     {.label = "stage 1",
                      .parts = {10 * kBarGiB, 5 * kBarGiB, 5 * kBarGiB},
                      .interval = ValueRange{19 * kBarGiB, 22 * kBarGiB}}},
            .ghosts = {{.label = "stage 0", .parts = {5 * kBarGiB, 10 * kBarGiB, 0}}},
            .usable = 40 * kBarGiB,
            .present = 44 * kBarGiB};
}

TEST(MemoryBars, PartsFollowEachOtherInProportion) {
    const MemoryBarLayout layout = memoryBarLayout(twoStages(), kBarSize, kBarTheme);
    ASSERT_EQ(layout.parts.size(), 5U) << "an empty part has no box";
    const QRectF& weights = layout.parts[0].box;
    const QRectF& gradients = layout.parts[1].box;
    EXPECT_DOUBLE_EQ(weights.right(), gradients.left());
    EXPECT_NEAR(gradients.width() / weights.width(), 2.0, 1e-9);
    EXPECT_NEAR(layout.bars[0].box.right(), gradients.right(), 1e-9);
    EXPECT_GT(layout.frame.xOf(44 * kBarGiB), layout.frame.xOf(40 * kBarGiB));
    EXPECT_LT(layout.frame.xOf(44 * kBarGiB), layout.frame.plot.right());
}

TEST(MemoryBars, GhostAndWhiskerAreAsLongAsTheirValues) {
    const MemoryBarLayout layout = memoryBarLayout(twoStages(), kBarSize, kBarTheme);
    ASSERT_TRUE(layout.bars[0].ghost.has_value());
    EXPECT_NEAR(layout.bars[0].ghost->width() / layout.bars[0].box.width(), 0.5, 1e-9);
    EXPECT_FALSE(layout.bars[0].ghost->intersects(layout.bars[0].box));
    EXPECT_FALSE(layout.bars[1].ghost.has_value());
    ASSERT_TRUE(layout.bars[1].whisker.has_value());
    EXPECT_DOUBLE_EQ(layout.bars[1].whisker->high, layout.frame.xOf(22 * kBarGiB));
}

/// The words stand at the interval's upper end, which is not the value.
TEST(MemoryBars, TheTotalIsNamedWithItsInterval) {
    const MemoryBarValues values = twoStages();
    EXPECT_EQ(memoryTotalText(values.bars[0]), "30 GiB");
    const std::string text = memoryTotalText(values.bars[1]);
    EXPECT_EQ(text, "20 GiB (19 – 22 GiB)");
    MemoryBarValues tight = values;
    tight.bars[1].interval->high = 60 * kBarGiB;
    const MemoryBarLayout layout = memoryBarLayout(tight, kBarSize, kBarTheme);
    EXPECT_LE(layout.bars[1].whisker->high + roughTextWidth(text, kBarTheme.textSize),
              layout.frame.plot.right());
}

TEST(MemoryBars, ANarrowChartLeavesTheIntervalAwayAndNotTheTotal) {
    MemoryBarValues values = twoStages();
    values.bars[1].interval->high = 60 * kBarGiB;
    for (double width = 220.0; width < 640.0; width += 20.0) {
        const MemoryBarLayout layout = memoryBarLayout(values, {width, 300.0}, kBarTheme);
        ASSERT_TRUE(layout.bars[1].total) << width;
        EXPECT_LE(layout.bars[1].total->right(), layout.frame.plot.right());
        EXPECT_TRUE(layout.bars[1].words.starts_with("20 GiB")) << layout.bars[1].words;
    }
}

/// Words that would take half of the chart do not make the axis twice as long.
TEST(MemoryBars, TheAxisOfANarrowChartEndsSoonAfterWhatIsUsable) {
    MemoryBarValues values = twoStages();
    values.present = 0.0;
    constexpr double kWidth = 480.0;
    const MemoryBarLayout layout = memoryBarLayout(values, {kWidth, 300.0}, kBarTheme);
    const QRectF& plot = layout.frame.plot;
    EXPECT_GT((layout.frame.xOf(values.usable) - plot.left()) / plot.width(), 0.7);
}

TEST(MemoryBars, TheTotalStandsOnOneSideOfTheUsableLine) {
    MemoryBarValues values = twoStages();
    for (double size = 1.0; size < 60.0; size += 0.5) {
        values.bars[0].parts = {size * kBarGiB, 0, 0};
        values.bars[1].interval = ValueRange{size * kBarGiB, size * kBarGiB};
        const MemoryBarLayout layout = memoryBarLayout(values, kBarSize, kBarTheme);
        const double line = layout.frame.xOf(values.usable);
        for (const MemoryBarPlace& place : layout.bars) {
            ASSERT_TRUE(place.total) << size;
            EXPECT_TRUE(place.total->right() < line || place.total->left() > line) << size;
        }
    }
}

TEST(MemoryBars, AClickGivesStageAndPart) {
    const MemoryBarLayout layout = memoryBarLayout(twoStages(), kBarSize, kBarTheme);
    for (std::size_t part = 0; part < layout.parts.size(); ++part) {
        EXPECT_EQ(memoryPartAt(layout, layout.parts[part].box.center()), static_cast<int>(part));
    }
    EXPECT_EQ(layout.parts[4].bar, 1U);
    EXPECT_EQ(layout.parts[4].part, 2U);
    EXPECT_EQ(memoryPartAt(layout, {0, 0}), -1);
}

TEST(MemoryBars, StepsGoToTheSamePartOfTheNextStage) {
    const MemoryBarLayout layout = memoryBarLayout(twoStages(), kBarSize, kBarTheme);
    EXPECT_EQ(memoryPartNear(layout, 0, 0, 1), 1);
    EXPECT_EQ(memoryPartNear(layout, 0, 1, 1), -1) << "not into the next stage";
    EXPECT_EQ(memoryPartNear(layout, 1, 1, 0), 3);
    EXPECT_EQ(memoryPartNear(layout, 0, 2, 0), 1) << "stage 0 has no loss";
    EXPECT_EQ(memoryPartNear(layout, 2, 0, 0), -1);
}

TEST(MemoryBars, LabelsOfManyStagesAreThinnedOut) {
    EXPECT_EQ(memoryBarLayout(sampleMemory(8), kBarSize, kBarTheme).labelEvery, 1U);
    const MemoryBarLayout layout = memoryBarLayout(sampleMemory(128), kBarSize, kBarTheme);
    EXPECT_GE(layout.bars[0].row.height() * static_cast<double>(layout.labelEvery),
              kBarTheme.textSize);
}

TEST(MemoryBars, AreDescribed) {
    const MemoryBarValues values = twoStages();
    EXPECT_EQ(describeMemoryBars(values),
              "Memory: 2 stages. The fullest, stage 0, needs 30 GiB, 10 GiB below what is usable: "
              "weights 10 GiB, gradients 20 GiB.");
    EXPECT_EQ(
        memoryPartText(values, 0, 1),
        "stage 0, gradients: 20 GiB\n66.7 % of 30 GiB\nB: 10 GiB\n10 GiB below what is usable");
    EXPECT_EQ(memoryBarTable(values).rows.size(), 3U);
    EXPECT_EQ(describeMemoryBars({.title = "Memory"}), "Memory: no stages.");
}

TEST(Tornado, ShowsTheLongestFirstAroundItsBase) {
    const TornadoValues values = sampleTornado();
    const TornadoLayout layout = tornadoLayout(values, kBarSize, kBarTheme);
    double before = 1e9;
    for (const TornadoPlace& place : layout.rows) {
        const TornadoRow& row = values.rows[place.row];
        const double reach =
            std::max(std::abs(row.low - values.base), std::abs(*row.high - values.base));
        EXPECT_LE(reach, before);
        before = reach;
        const double end = layout.frame.xOf(row.low);
        EXPECT_NEAR(place.low.left(), std::min(end, layout.baseX), 1e-9);
        EXPECT_NEAR(place.low.right(), std::max(end, layout.baseX), 1e-9);
        EXPECT_EQ(tornadoRowAt(layout, place.band.center()), &place - layout.rows.data());
    }
}

TEST(Tornado, BarsOnOneSideDoNotHideEachOther) {
    const TornadoValues values = sampleTornado();
    for (const TornadoPlace& place : tornadoLayout(values, kBarSize, kBarTheme).rows) {
        EXPECT_FALSE(place.low.intersects(place.high)) << values.rows[place.row].label;
    }
}

TEST(Tornado, LabelsHaveRoomOnBothSides) {
    const TornadoValues values = sampleTornado();
    const TornadoLayout layout = tornadoLayout(values, kBarSize, kBarTheme);
    const double label = roughTextWidth("twice: 4.62 s", kBarTheme.textSize);
    EXPECT_GE(layout.rows[0].high.left() - label, layout.frame.plot.left());
    EXPECT_LE(layout.rows[0].low.right() + label, layout.frame.plot.right());
}

TEST(Tornado, IsDescribed) {
    TornadoValues values = sampleTornado();
    values.rows.resize(2);
    EXPECT_EQ(
        describeTornado(values),
        "What the step time depends on: step time is 5.90 s now. network between nodes, half: "
        "7.40 s, twice: 5.31 s. memory bandwidth, half: 6.02 s, twice: 5.85 s.");
    EXPECT_EQ(tornadoTable(values).rows.size(), 2U);
}

TEST(Tornado, AnEndThatIsNotKnownHasNoBarAndNoNumber) {
    TornadoValues values = sampleTornado();
    values.rows = {{.label = "NVLink", .low = 6.6, .lowLabel = "half", .highLabel = "twice"}};
    EXPECT_EQ(tornadoLayout(values, kBarSize, kBarTheme).rows.front().high.width(), 0.0);
    EXPECT_EQ(tornadoEndText(values, values.rows.front(), TornadoEnd::High), "");
    EXPECT_EQ(tornadoTable(values).rows.front()[4], "");
    EXPECT_TRUE(describeTornado(values).ends_with("NVLink, half: 6.60 s."))
        << describeTornado(values);
}

TEST(Waterfall, EachBarBeginsWhereTheLastEnds) {
    const WaterfallValues values = sampleWaterfall();
    const WaterfallLayout layout = waterfallLayout(values, kBarSize, kBarTheme);
    ASSERT_EQ(layout.bars.size(), values.steps.size() + 2);
    for (std::size_t bar = 1; bar + 1 < layout.bars.size(); ++bar) {
        EXPECT_DOUBLE_EQ(layout.bars[bar].begin, layout.bars[bar - 1].end);
        EXPECT_EQ(waterfallBarAt(layout, layout.bars[bar].band.center()), static_cast<int>(bar));
    }
    EXPECT_DOUBLE_EQ(layout.bars.back().end, values.to());
    EXPECT_NEAR(values.to(), 5.55, 1e-9);
}

TEST(Waterfall, BarsLieInThePlot) {
    for (const double from : {5.9, 0.4, 0.0, -2.0}) {
        WaterfallValues values = sampleWaterfall();
        values.from = from;
        const WaterfallLayout layout = waterfallLayout(values, kBarSize, kBarTheme);
        for (const WaterfallPlace& bar : layout.bars) {
            EXPECT_GE(bar.bar.top(), layout.frame.plot.top() - 1e-9) << from << bar.label;
            EXPECT_LE(bar.bar.bottom(), layout.frame.plot.bottom() + 1e-9) << from << bar.label;
        }
    }
}

/// In a narrow window the smallest changes are one bar, and the words of all are whole.
TEST(Waterfall, HasRoomForItsWords) {
    const WaterfallValues values = sampleWaterfall();
    for (const double width : {420.0, 450.0, 500.0, 880.0}) {
        const WaterfallValues shown = withRoomForWords(values, width, kBarTheme.textSize);
        EXPECT_NEAR(shown.to(), values.to(), 1e-9 * values.to());
        SvgCanvas canvas(QSizeF(width, 300.0), "", "");
        paintWaterfall(
            canvas, shown, waterfallLayout(shown, QSizeF(width, 300.0), kBarTheme), kBarTheme);
        EXPECT_EQ(canvas.document().find("\u2026"), std::string::npos) << canvas.document();
    }
    EXPECT_EQ(withRoomForWords(values, 2000.0, kBarTheme.textSize).steps.size(),
              values.steps.size());
    EXPECT_EQ(withRoomForWords(values, 300.0, kBarTheme.textSize).steps.back().label, "other");
}

TEST(Waterfall, IsDescribed) {
    WaterfallValues values = sampleWaterfall();
    values.steps.resize(2);
    EXPECT_EQ(describeWaterfall(values),
              "From A to B: where the time goes: step time goes from 5.90 s (A: tp8 pp4 dp16) to "
              "5.20 s (B: tp4 pp8 dp16): compute -80 ms, tensor parallel communication -620 ms.");
    EXPECT_EQ(waterfallBarText(values, 1), "compute\n-80 ms (-1.36 %)");
    EXPECT_EQ(waterfallBarText(values, 3), "B: tp4 pp8 dp16\n5.20 s\n-700 ms in all");
    EXPECT_EQ(waterfallTable(values).rows.size(), 4U);
}

}  // namespace
}  // namespace fabricast
