#include "gui/charts/step_curve_paint.h"

#include "gui/charts/name_column.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// A stretch at one height.
struct LevelStretch {
    double left = 0.0;
    double right = 0.0;
    double top = 0.0;
};

std::vector<LevelStretch> levelStretches(const std::vector<double>& maxima,
                                         const QRectF& row,
                                         double most) {
    std::vector<LevelStretch> stretches;
    const double wide = row.width() / static_cast<double>(maxima.size());
    for (std::size_t column = 0; column < maxima.size(); ++column) {
        const double top = row.bottom() - row.height() * maxima[column] / most;
        const double left = row.left() + static_cast<double>(column) * wide;
        if (stretches.empty() || stretches.back().top != top) {
            stretches.push_back({.left = left, .right = left, .top = top});
        }
        stretches.back().right = left + wide;
    }
    return stretches;
}

/// Of boxes, for a line with so many corners takes a painter long.
void paintStretches(Canvas& canvas,
                    const std::vector<LevelStretch>& stretches,
                    double bottom,
                    const ChartTheme& theme) {
    constexpr double kLine = 1.5;
    const Filling below{mixed(theme.plot, theme.seriesColour(0), 0.25)};
    const Filling edge{theme.seriesColour(0)};
    for (std::size_t index = 0; index < stretches.size(); ++index) {
        const LevelStretch& here = stretches[index];
        canvas.fill({here.left, here.top, here.right - here.left, bottom - here.top}, below);
        canvas.fill({here.left, here.top, here.right - here.left, kLine}, edge);
        if (index > 0) {
            const double before = stretches[index - 1].top;
            canvas.fill({here.left - kLine / 2,
                         std::min(before, here.top),
                         kLine,
                         std::abs(before - here.top) + kLine},
                        edge);
        }
    }
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
    const std::vector<double> maxima = stepMaxima(curve, frame.xRange, columns);
    paintStretches(canvas, levelStretches(maxima, row, most), row.bottom(), theme);
    paintCurveLimit(canvas, curve, row, most, theme);
    const QRectF upper(0.0, row.top(), 1.0, row.height() / 2);
    const QRectF lower(0.0, row.center().y(), 1.0, row.height() / 2);
    paintRowName(canvas, curve.name, upper, row.left(), theme);
    paintRowName(canvas, "\u2264 " + valueText(AxisUnit::Bytes, peak), lower, row.left(), theme);
}

}  // namespace fabricast
