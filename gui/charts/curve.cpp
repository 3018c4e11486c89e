#include "gui/charts/curve.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace fabricast {
namespace {

void widen(ValueRange& range, double value) {
    if (std::isfinite(value)) {
        range = {std::min(range.low, value), std::max(range.high, value)};
    }
}

struct CurveExtent {
    ValueRange x{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    ValueRange y = x;
};

CurveExtent extentOf(const CurveValues& values) {
    CurveExtent extent;
    for (const CurveSeries& series : values.series) {
        for (const CurvePoint& point : series.points) {
            widen(extent.x, point.x);
            widen(extent.y, point.y);
            if (point.interval) {
                widen(extent.y, point.interval->low);
                widen(extent.y, point.interval->high);
            }
        }
    }
    if (extent.x.low > extent.x.high || extent.y.low > extent.y.high) {
        return {.x = {}, .y = {}};
    }
    if (values.fromZero && values.y.scale == AxisScale::Linear) {
        widen(extent.y, 0.0);
    }
    return extent;
}

}  // namespace

FrameParts curveFrameParts(const CurveValues& values, const ChartTheme& theme) {
    FrameParts parts{.title = values.title, .x = values.x, .y = values.y};
    for (std::size_t index = 0; index < values.series.size(); ++index) {
        parts.legend.push_back({.name = values.series[index].name,
                                .key = values.series[index].measured ? LegendEntry::Key::Marker
                                                                     : LegendEntry::Key::MarkedLine,
                                .filling = {theme.seriesColour(index)},
                                .marker = seriesMarker(index)});
    }
    return parts;
}

CurveLayout curveLayout(const CurveValues& values, const QSizeF& size, const ChartTheme& theme) {
    const CurveExtent extent = extentOf(values);
    CurveLayout layout{.frame = plotFrame(curveFrameParts(values, theme),
                                          roomyRange(values.x.scale, extent.x),
                                          roomyRange(values.y.scale, extent.y),
                                          size,
                                          theme.textSize)};
    for (std::size_t series = 0; series < values.series.size(); ++series) {
        const std::vector<CurvePoint>& points = values.series[series].points;
        for (std::size_t point = 0; point < points.size(); ++point) {
            layout.points.push_back(
                {series, point, layout.frame.placeOf(points[point].x, points[point].y)});
        }
    }
    return layout;
}

int curvePointAt(const CurveLayout& layout, const QPointF& place, double reach) {
    int nearest = -1;
    double best = reach * reach;
    for (std::size_t index = 0; index < layout.points.size(); ++index) {
        const QPointF away = layout.points[index].at - place;
        const double distance = QPointF::dotProduct(away, away);
        if (distance <= best) {
            best = distance;
            nearest = static_cast<int>(index);
        }
    }
    return nearest;
}

int curvePointBeside(const CurveLayout& layout, int from, const CurveStep& step) {
    if (from < 0) {
        return layout.points.empty() ? -1 : 0;
    }
    const CurvePlace& start = layout.points[static_cast<std::size_t>(from)];
    const auto wanted = static_cast<std::ptrdiff_t>(start.series) + step.series;
    const auto point = static_cast<std::ptrdiff_t>(start.point) + step.points;
    int nearest = -1;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t index = 0; index < layout.points.size(); ++index) {
        const CurvePlace& each = layout.points[index];
        const bool fits = step.series != 0 || static_cast<std::ptrdiff_t>(each.point) == point;
        const double away = std::abs(each.at.x() - start.at.x());
        if (static_cast<std::ptrdiff_t>(each.series) == wanted && fits && away < best) {
            best = away;
            nearest = static_cast<int>(index);
        }
    }
    return nearest;
}

std::string curvePointText(const CurveValues& values, std::size_t series, std::size_t point) {
    const CurveSeries& curve = values.series[series];
    const CurvePoint& at = curve.points[point];
    std::string text = curve.name + "\n" + values.x.title + ": " + valueText(values.x.unit, at.x) +
                       "\n" + values.y.title + ": " + valueText(values.y.unit, at.y);
    if (at.interval) {
        text += " (" + valueText(values.y.unit, at.interval->low) + " to " +
                valueText(values.y.unit, at.interval->high) + ")";
    }
    return text;
}

std::string describeCurve(const CurveValues& values) {
    std::string text =
        titleIntro(values.title) + values.y.title + " against " + values.x.title + ".";
    for (const CurveSeries& series : values.series) {
        if (series.points.empty()) {
            continue;
        }
        const CurvePoint& first = series.points.front();
        const CurvePoint& last = series.points.back();
        text += " " + series.name + ": from " + valueText(values.y.unit, first.y) + " at " +
                valueText(values.x.unit, first.x) + " to " + valueText(values.y.unit, last.y) +
                " at " + valueText(values.x.unit, last.x) + ".";
    }
    return text;
}

Table curveTable(const CurveValues& values) {
    Table table{{{"series"},
                 {exactCaption(values.x.title, values.x.unit), Align::Right},
                 {exactCaption(values.y.title, values.y.unit), Align::Right},
                 {"lowest", Align::Right},
                 {"highest", Align::Right}},
                {}};
    for (const CurveSeries& series : values.series) {
        for (const CurvePoint& point : series.points) {
            table.rows.push_back({series.name,
                                  exactNumber(point.x),
                                  exactNumber(point.y),
                                  point.interval ? exactNumber(point.interval->low) : "",
                                  point.interval ? exactNumber(point.interval->high) : ""});
        }
    }
    return table;
}

}  // namespace fabricast
