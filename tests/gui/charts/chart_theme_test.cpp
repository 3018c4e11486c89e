#include "gui/charts/chart_theme.h"

#include <gtest/gtest.h>

#include <set>
#include <utility>

namespace fabricast {
namespace {

class ChartThemes : public testing::TestWithParam<bool> {
protected:
    const ChartTheme theme = GetParam() ? darkChartTheme() : lightChartTheme();
};
INSTANTIATE_TEST_SUITE_P(LightAndDark, ChartThemes, testing::Bool());

TEST(Contrast, GoesFromOneToTwentyOne) {
    EXPECT_NEAR(contrast(QColor(Qt::black), QColor(Qt::white)), 21.0, 0.01);
    EXPECT_DOUBLE_EQ(contrast(QColor(Qt::red), QColor(Qt::red)), 1.0);
    // The grey that WCAG's own examples give 4.5 on white.
    EXPECT_NEAR(contrast(QColor(0x767676), QColor(Qt::white)), 4.54, 0.01);
}

TEST_P(ChartThemes, AllThatIsWrittenCanBeRead) {
    for (const QColor& ink :
         {theme.text, theme.faint, theme.bad, theme.good, theme.doubtful, theme.accent}) {
        for (const QColor& ground : {theme.page, theme.plot}) {
            EXPECT_GE(contrast(ink, ground), 4.5)
                << ink.name().toStdString() << " on " << ground.name().toStdString();
        }
    }
}

TEST_P(ChartThemes, LettersOnSeriesCanBeRead) {
    for (std::size_t index = 0; index < theme.series.size(); ++index) {
        const QColor colour = theme.seriesColour(index);
        EXPECT_GE(contrast(readableOn(colour), colour), 4.5) << index;
    }
}

TEST_P(ChartThemes, SeriesStandOutFromTheGround) {
    for (const QColor& colour : theme.series) {
        // Bright yellow on white is told by its pattern and marker.
        const double least = colour == QColor(0xf0e442) && !theme.isDark ? 1.2 : 1.9;
        EXPECT_GE(contrast(colour, theme.plot), least) << colour.name().toStdString();
    }
}

TEST_P(ChartThemes, NoTwoOfSixteenSeriesLookTheSame) {
    std::set<std::pair<QRgb, FillPattern>> seen;
    for (std::size_t index = 0; index < 16; ++index) {
        const Filling filling = theme.seriesFilling(index);
        EXPECT_TRUE(seen.emplace(filling.colour.rgb(), filling.pattern).second) << index;
    }
}

TEST_P(ChartThemes, NeighboursDifferInPatternAndMarker) {
    for (std::size_t index = 0; index < 15; ++index) {
        EXPECT_NE(seriesPattern(index), seriesPattern(index + 1));
        EXPECT_NE(seriesMarker(index), seriesMarker(index + 1));
    }
}

}  // namespace
}  // namespace fabricast
