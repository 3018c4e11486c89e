#include "gui/charts/plot_frame.h"

#include "gui/charts/name_column.h"
#include "gui/charts/rough_text.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <QFont>
#include <QFontMetricsF>
#include <QString>
#include <cmath>

namespace fabricast {
namespace {

QRectF labelBox(const PlotFrame& frame, const Tick& tick, double letters) {
    const double width = roughTextWidth(tick.label, letters);
    return {frame.xOf(tick.value) - width / 2, 0.0, width, letters};
}

RC_GTEST_PROP(PlotFrames, LabelsDoNotOverlapAndThePlotLiesInside, ()) {
    const auto unit = static_cast<AxisUnit>(*rc::gen::inRange(0, 10));
    const auto scale = *rc::gen::element(AxisScale::Linear, AxisScale::Log);
    const double low = std::pow(10.0, *rc::gen::inRange(-40, 80) / 10.0);
    const ValueRange range{low, low * (1.5 + std::pow(10.0, *rc::gen::inRange(-10, 50) / 10.0))};
    const QSizeF size(*rc::gen::inRange(220, 1600), *rc::gen::inRange(140, 1000));
    const double letters = *rc::gen::inRange(9, 22);
    const FrameParts parts{.title = "A title",
                           .x = {"x", unit, scale},
                           .y = {"y", unit, scale},
                           .legend = {{"a"}, {"b"}}};
    const PlotFrame frame = plotFrame(parts, range, range, size, letters);
    RC_ASSERT(QRectF({0, 0}, size).contains(frame.plot));
    RC_ASSERT(frame.plot.isValid());
    for (std::size_t tick = 1; tick < frame.xTicks.ticks.size(); ++tick) {
        const QRectF before = labelBox(frame, frame.xTicks.ticks[tick - 1], letters);
        RC_ASSERT(frame.xTicks.ticks.size() <= 2 ||
                  before.right() < labelBox(frame, frame.xTicks.ticks[tick], letters).left());
    }
    for (std::size_t tick = 1; tick < frame.yTicks.ticks.size(); ++tick) {
        const double apart = frame.yOf(frame.yTicks.ticks[tick - 1].value) -
                             frame.yOf(frame.yTicks.ticks[tick].value);
        RC_ASSERT(frame.yTicks.ticks.size() <= 2 || apart >= letters);
    }
}

RC_GTEST_PROP(PlotFrames, PlacesGoThereAndBack, ()) {
    const FrameParts parts{.x = {"x", AxisUnit::Number, AxisScale::Log}, .y = {"y"}};
    const PlotFrame frame = plotFrame(parts, {1, 1000}, {-5, 5}, {400, 300}, 12);
    const double x = *rc::gen::inRange(1, 1000);
    const double y = *rc::gen::inRange(-50, 50) / 10.0;
    const QPointF place = frame.placeOf(x, y);
    RC_ASSERT(std::abs(frame.xAt(place.x()) - x) < 1e-6 * x);
    RC_ASSERT(std::abs(frame.yAt(place.y()) - y) < 1e-9);
}

TEST(Legends, WrapWithinTheirWidthAndDoNotOverlap) {
    std::vector<LegendEntry> entries;
    for (const char* name : {"weights", "gradients", "optimizer", "activations", "recomputed"}) {
        entries.push_back({.name = name});
    }
    const std::vector<LegendPlace> places = legendPlaces(entries, {10, 20}, 260, 12);
    ASSERT_EQ(places.size(), entries.size());
    EXPECT_GT(places.back().box.top(), places.front().box.top()) << "they need two rows";
    for (const LegendPlace& place : places) {
        EXPECT_GE(place.box.left(), 10);
        EXPECT_LE(place.box.right(), 270);
        for (const LegendPlace& other : places) {
            EXPECT_TRUE(&place == &other || !place.box.intersects(other.box)) << place.entry.name;
        }
    }
}

TEST(RoughTextWidth, IsAtLeastThatOfTheFontHere) {
    QFont font;
    font.setPixelSize(20);
    const QFontMetricsF metrics(font);
    for (const char* words : {"activations",
                              "memory (GiB)",
                              "1.13M tokens/s",
                              "32 KiB",
                              "-620 ms",
                              "tp8 pp4 dp16 mb2",
                              "WWWW",
                              "usable: 74.5 GiB",
                              "\u2264 48 GiB"}) {
        EXPECT_GE(roughTextWidth(words, 20), metrics.horizontalAdvance(QString::fromUtf8(words)))
            << words;
    }
}

TEST(Shortened, KeepsWholeLettersAndSaysThatThereIsMore) {
    EXPECT_EQ(shortened("weights", 500, 12), "weights");
    const std::string text = shortened("\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9\u00e9", 50, 12);
    EXPECT_TRUE(text.ends_with("\u2026")) << text;
    EXPECT_LE(roughTextWidth(text, 12), 50);
    EXPECT_FALSE(QString::fromStdString(text).contains(QChar::ReplacementCharacter));
    EXPECT_EQ(shortened("weights", 1, 12), "");
}

/// "communi…" says less than two lines do.
TEST(Wrapped, BreaksAWordThatIsTooWideForALine) {
    const double size = 12.0;
    const double width = roughTextWidth("gathers and", size);
    for (const char* const words : {"cp communication", "memory-bound kernels", "optimizer"}) {
        std::string together;
        for (const std::string& line : wrapped(words, width, 3, size)) {
            EXPECT_LE(roughTextWidth(line, size), width) << line;
            EXPECT_EQ(line.find("…"), std::string::npos) << line;
            together += line;
        }
        EXPECT_EQ(together.back(), words[std::string_view(words).size() - 1]);
    }
    EXPECT_EQ(wrapped("memory-bound kernels", roughTextWidth("bound kernels", size), 3, size),
              (std::vector<std::string>{"memory-", "bound kernels"}));
}

}  // namespace
}  // namespace fabricast
