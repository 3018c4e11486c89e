#pragma once
#include "gui/charts/axis.h"
#include "gui/charts/canvas.h"
#include "gui/charts/chart_theme.h"
#include "gui/charts/rough_text.h"

#include <QRectF>
#include <QSizeF>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// An entry of a legend.
struct LegendEntry {
    enum class Key : std::uint8_t { Area, Marker, Line, DashedLine, MarkedLine };
    std::string name;
    Key key = Key::Area;
    Filling filling;
    MarkerShape marker = MarkerShape::Circle;
};

/// What surrounds the values of a chart with two axes.
struct FrameParts {
    std::string title;
    Axis x;
    Axis y;
    std::vector<LegendEntry> legend;
    double leftNames = 0.0;    ///< not 0: so wide a column of names stands instead of a y axis
    double bottomNames = 0.0;  ///< not 0: so high a row of names stands instead of an x axis
};

struct LegendPlace {
    LegendEntry entry;
    QRectF box;
};

/// Where the axes, labels and values of a chart lie. Computed without a font: the width of text is
/// estimated generously, so that nothing overlaps in any.
struct PlotFrame {
    QRectF plot;
    ValueRange xRange;
    ValueRange yRange;
    AxisScale xScale = AxisScale::Linear;
    AxisScale yScale = AxisScale::Linear;
    AxisTicks xTicks;
    AxisTicks yTicks;
    std::vector<LegendPlace> legend;

    [[nodiscard]] double xOf(double value) const;
    [[nodiscard]] double yOf(double value) const;
    [[nodiscard]] QPointF placeOf(double x, double y) const { return {xOf(x), yOf(y)}; }
    [[nodiscard]] double xAt(double pixel) const;
    [[nodiscard]] double yAt(double pixel) const;
};

PlotFrame plotFrame(const FrameParts& parts,
                    const ValueRange& xRange,
                    const ValueRange& yRange,
                    const QSizeF& size,
                    double textSize);

/// Plot area, grid, axes with labels, and legend; the page is painted before.
void paintFrame(Canvas& canvas,
                const PlotFrame& frame,
                const FrameParts& parts,
                const ChartTheme& theme);

/// Rows of a legend from left to right, none wider than the width.
std::vector<LegendPlace> legendPlaces(const std::vector<LegendEntry>& entries,
                                      const QPointF& corner,
                                      double width,
                                      double textSize);
void paintLegend(Canvas& canvas, const std::vector<LegendPlace>& legend, const ChartTheme& theme);
/// The page and the title; returns what is left below them.
QRectF paintPage(Canvas& canvas,
                 const QSizeF& size,
                 std::string_view title,
                 const ChartTheme& theme);
/// The same without painting.
QRectF belowTitle(const QSizeF& size, std::string_view title, double textSize);

}  // namespace fabricast
