#pragma once
#include "gui/charts/plot_frame.h"
#include "planner/report/table.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

struct CurvePoint {
    double x = 0.0;
    double y = 0.0;
    std::optional<ValueRange> interval;  ///< of y: the band
};

struct CurveSeries {
    std::string name;
    std::vector<CurvePoint> points;  ///< by x
    bool measured = false;           ///< markers alone; else a line
};

/// This is one number against another: throughput against GPUs, bus bandwidth against size.
struct CurveValues {
    std::string title;
    Axis x;
    Axis y;
    bool fromZero = true;  ///< a linear y axis starts at 0
    std::vector<CurveSeries> series;
};

/// Point `point` of series `series`.
struct CurvePlace {
    std::size_t series = 0;
    std::size_t point = 0;
    QPointF at;
};

struct CurveLayout {
    PlotFrame frame;
    std::vector<CurvePlace> points;  ///< series by series
};

CurveLayout curveLayout(const CurveValues& values, const QSizeF& size, const ChartTheme& theme);
FrameParts curveFrameParts(const CurveValues& values, const ChartTheme& theme);
/// Index into the layout's points, at most `reach` pixels away; -1: none.
int curvePointAt(const CurveLayout& layout, const QPointF& place, double reach);
/// How far from a point: along its series, or to another one.
struct CurveStep {
    int points = 0;
    int series = 0;
};
/// In another series, the point nearest in x; -1: none.
int curvePointBeside(const CurveLayout& layout, int from, const CurveStep& step);
std::string curvePointText(const CurveValues& values, std::size_t series, std::size_t point);
std::string describeCurve(const CurveValues& values);
Table curveTable(const CurveValues& values);
void paintCurve(Canvas& canvas,
                const CurveValues& values,
                const CurveLayout& layout,
                const ChartTheme& theme);

}  // namespace fabricast
