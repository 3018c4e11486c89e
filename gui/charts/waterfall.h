#pragma once
#include "gui/charts/plot_frame.h"
#include "planner/report/table.h"

#include <string>
#include <vector>

namespace fabricast {

struct WaterfallStep {
    std::string label;
    double change = 0.0;
};

/// This is how one number becomes another, part by part: from A's step time to B's.
struct WaterfallValues {
    std::string title;
    Axis axis;
    std::string fromLabel;
    std::string toLabel;
    double from = 0.0;
    std::vector<WaterfallStep> steps;
    BetterEnd better = BetterEnd::Low;
    [[nodiscard]] double to() const;
};

/// Below the bars.
inline constexpr std::size_t kWaterfallNameLines = 4;

struct WaterfallPlace {
    std::string label;
    double begin = 0.0;  ///< where the bar starts and ends, in values
    double end = 0.0;
    QRectF band;
    QRectF bar;
};

/// Bars from left to right: from, each step, to.
struct WaterfallLayout {
    PlotFrame frame;
    std::vector<WaterfallPlace> bars;
};

/// With the smallest changes together as "other", where there is no room for the words of each.
WaterfallValues withRoomForWords(WaterfallValues values, double width, double textSize);
WaterfallLayout waterfallLayout(const WaterfallValues& values,
                                const QSizeF& size,
                                const ChartTheme& theme);
FrameParts waterfallFrameParts(const WaterfallValues& values, const ChartTheme& theme);
/// "+1.2 s".
std::string changeText(AxisUnit unit, double change);
/// Index of the bar; -1: none.
int waterfallBarAt(const WaterfallLayout& layout, const QPointF& place);
std::string waterfallBarText(const WaterfallValues& values, std::size_t bar);
std::string describeWaterfall(const WaterfallValues& values);
Table waterfallTable(const WaterfallValues& values);
void paintWaterfall(Canvas& canvas,
                    const WaterfallValues& values,
                    const WaterfallLayout& layout,
                    const ChartTheme& theme);

}  // namespace fabricast
