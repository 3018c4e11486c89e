#include "gui/charts/step_curve_paint.h"

#include "gui/charts/name_column.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// From column to column, as steps.
std::vector<QPointF> stepOutline(const std::vector<double>& maxima,
                                 const QRectF& row,
                                 double most) {
    std::vector<QPointF> outline;
    const double wide = row.width() / static_cast<double>(maxima.size());
    for (std::size_t column = 0; column < maxima.size(); ++column) {
        const double y = row.bottom() - row.height() * maxima[column] / most;
        const double x = row.left() + static_cast<double>(column) * wide;
        if (outline.empty() || outline.back().y() != y) {
            if (!outline.empty()) {
                outline.emplace_back(x, outline.back().y());
            }
            outline.emplace_back(x, y);
        }
    }
    if (!outline.empty()) {
        outline.emplace_back(row.right(), outline.back().y());
    }
    return outline;
}

void paintCurveLimit(Canvas& canvas,
                     const StepCurve& curve,
                     const QRectF& row,
                     double most,
                     const ChartTheme& theme) {
    if (curve.limit <= 0.0) {
        return;
    }
    const double y = row.bottom() - row.height() * curve.limit / most;
    canvas.line(
        {row.left(), y}, {row.right(), y}, {.colour = theme.bad, .width = 1.5, .dashed = true});
}

}  // namespace

std::vector<double> stepMaxima(const StepCurve& curve,
                               const ValueRange& view,
                               std::size_t columns) {
    std::vector<double> maxima(columns, 0.0);
    const double perSecond = static_cast<double>(columns) / view.span();
    for (std::size_t step = 0; step < curve.times.size(); ++step) {
        const double start = curve.times[step];
        const double end = step + 1 < curve.times.size() ? curve.times[step + 1] : view.high;
        if (end <= view.low || start >= view.high) {
            continue;
        }
        const auto first = static_cast<std::size_t>(std::max(0.0, (start - view.low) * perSecond));
        const auto last =
            static_cast<std::size_t>(std::max(0.0, std::ceil((end - view.low) * perSecond)));
        for (std::size_t column = first; column < std::min(last, columns); ++column) {
            maxima[column] = std::max(maxima[column], curve.bytes[step]);
        }
    }
    return maxima;
}

void paintStepCurve(Canvas& canvas,
                    const StepCurve& curve,
                    const QRectF& row,
                    const PlotFrame& frame,
                    const ChartTheme& theme) {
    const double peak = curve.bytes.empty() ? 0.0 : std::ranges::max(curve.bytes);
    const double most = std::max({peak, curve.limit, 1.0}) * 1.08;
    const auto columns = static_cast<std::size_t>(std::max(1.0, row.width()));
    const std::vector<QPointF> outline =
        stepOutline(stepMaxima(curve, frame.xRange, columns), row, most);
    std::vector<QPointF> corners = outline;
    corners.push_back(row.bottomRight());
    corners.push_back(row.bottomLeft());
    QColor tint = theme.seriesColour(0);
    tint.setAlphaF(0.25F);
    canvas.area(corners, tint);
    canvas.line(outline, {.colour = theme.seriesColour(0), .width = 1.5});
    paintCurveLimit(canvas, curve, row, most, theme);
    const QRectF upper(0.0, row.top(), 1.0, row.height() / 2);
    const QRectF lower(0.0, row.center().y(), 1.0, row.height() / 2);
    paintRowName(canvas, curve.name, upper, row.left(), theme);
    paintRowName(canvas, "\u2264 " + valueText(AxisUnit::Bytes, peak), lower, row.left(), theme);
}

}  // namespace fabricast
