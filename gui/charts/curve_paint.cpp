#include "gui/charts/curve.h"

namespace fabricast {
namespace {

constexpr double kPointSize = 7.0;

/// From low to high along the points that have an interval.
void paintBand(Canvas& canvas,
               const CurveSeries& series,
               const PlotFrame& frame,
               const QColor& colour) {
    std::vector<QPointF> corners;
    std::vector<QPointF> below;
    for (const CurvePoint& point : series.points) {
        if (point.interval) {
            corners.push_back(frame.placeOf(point.x, point.interval->high));
            below.push_back(frame.placeOf(point.x, point.interval->low));
        }
    }
    corners.insert(corners.end(), below.rbegin(), below.rend());
    if (corners.size() >= 4) {
        QColor tint = colour;
        tint.setAlphaF(0.2F);
        canvas.area(corners, tint);
    }
}

void paintErrorBars(Canvas& canvas,
                    const CurveSeries& series,
                    const PlotFrame& frame,
                    const QColor& colour) {
    for (const CurvePoint& point : series.points) {
        if (point.interval) {
            canvas.line(frame.placeOf(point.x, point.interval->low),
                        frame.placeOf(point.x, point.interval->high),
                        {.colour = colour, .width = 1.5});
        }
    }
}

void paintSeries(Canvas& canvas,
                 const CurveSeries& series,
                 std::size_t index,
                 const PlotFrame& frame,
                 const ChartTheme& theme) {
    const QColor colour = theme.seriesColour(index);
    std::vector<QPointF> places;
    for (const CurvePoint& point : series.points) {
        places.push_back(frame.placeOf(point.x, point.y));
    }
    if (series.measured) {
        paintErrorBars(canvas, series, frame, colour);
    } else if (places.size() > 1) {
        canvas.line(places, {.colour = colour, .width = 2.0});
    }
    for (const QPointF& place : places) {
        canvas.marker(place, {seriesMarker(index), colour, kPointSize});
    }
}

}  // namespace

void paintCurve(Canvas& canvas,
                const CurveValues& values,
                const CurveLayout& layout,
                const ChartTheme& theme) {
    paintFrame(canvas, layout.frame, curveFrameParts(values, theme), theme);
    canvas.clip(layout.frame.plot);
    for (std::size_t index = 0; index < values.series.size(); ++index) {
        if (!values.series[index].measured) {
            paintBand(canvas, values.series[index], layout.frame, theme.seriesColour(index));
        }
    }
    for (std::size_t index = 0; index < values.series.size(); ++index) {
        paintSeries(canvas, values.series[index], index, layout.frame, theme);
    }
    canvas.unclip();
}

}  // namespace fabricast
