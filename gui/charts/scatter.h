#pragma once
#include "gui/charts/plot_frame.h"
#include "planner/report/table.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fabricast {

struct ScatterPoint {
    double x = 0.0;
    double y = 0.0;
    std::uint32_t id = 0;    ///< the caller's, unique
    std::uint8_t group = 0;  ///< index of ScatterValues::groups: colour and marker
    bool fits = true;        ///< else a faint cross
    std::string label;       ///< in the tip: the layout, and why it does not fit
};

/// This is a choice of two numbers of many plans: one point each.
struct ScatterValues {
    std::string title;
    Axis x;
    Axis y;
    BetterEnd betterX = BetterEnd::Low;
    BetterEnd betterY = BetterEnd::High;
    std::optional<double> xLimit;  ///< a vertical line: usable memory
    std::string limitName;
    std::vector<std::string> groups;
    std::vector<ScatterPoint> points;
};

struct ScatterView {
    ValueRange x;
    ValueRange y;
    friend bool operator==(const ScatterView&, const ScatterView&) = default;
};

/// Which points stand out, by id.
struct ScatterMarks {
    std::optional<std::uint32_t> a;
    std::optional<std::uint32_t> b;
    std::vector<std::uint32_t> selected;  ///< where there are any, the others are dimmed
};

/// All points, with room around them.
ScatterView wholeView(const ScatterValues& values);
/// Indices of the fitting points that no other beats in both, by x.
std::vector<std::size_t> paretoFront(const ScatterValues& values);

FrameParts scatterFrameParts(const ScatterValues& values, const ChartTheme& theme);
PlotFrame scatterFrame(const ScatterValues& values,
                       const ScatterView& view,
                       const QSizeF& size,
                       const ChartTheme& theme);
/// The index of the point nearest to a place, at most `reach` pixels away; -1: none.
int nearestPoint(const ScatterValues& values,
                 const PlotFrame& frame,
                 const QPointF& place,
                 double reach);
/// The nearest visible point to one side of another; -1: none.
int pointBeside(const ScatterValues& values, const PlotFrame& frame, int from, const QPointF& step);
/// The ids of the points in a box.
std::vector<std::uint32_t> pointsIn(const ScatterValues& values,
                                    const PlotFrame& frame,
                                    const QRectF& box);

/// The ring around a picked point, across.
inline constexpr double kPickRing = 18.0;
/// Where its letter stands: beside the ring, inside the plot.
QRectF pickPlate(const QPointF& place, double side, const QRectF& plot);

/// The same, or beside what is taken where that would cover it.
QRectF plateBeside(const QRectF& plate, const QRectF& taken, const QRectF& plot);

/// "1.13M tokens/s, 71.8 GiB: …" for a tip.
std::string pointText(const ScatterValues& values, const ScatterPoint& point);
std::string describeScatter(const ScatterValues& values, std::span<const std::size_t> front);
Table scatterTable(const ScatterValues& values);

/// A scatter at a size, as paintScatter needs it.
struct ScatterPicture {
    const ScatterValues& values;
    const ScatterMarks& marks;
    std::span<const std::size_t> front;
    const PlotFrame& frame;
};
void paintScatter(Canvas& canvas, const ScatterPicture& picture, const ChartTheme& theme);

}  // namespace fabricast
