#include "gui/charts/scatter.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>

namespace fabricast {
namespace {

ValueRange extent(const std::vector<ScatterPoint>& points, double ScatterPoint::*field) {
    ValueRange range{std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()};
    for (const ScatterPoint& point : points) {
        const double value = point.*field;
        if (std::isfinite(value)) {
            range = {std::min(range.low, value), std::max(range.high, value)};
        }
    }
    return range.low <= range.high ? range : ValueRange{};
}

/// Larger is better, whichever end that is.
double merit(BetterEnd better, double value) {
    return better == BetterEnd::High ? value : -value;
}

/// A point on its way to the front; larger is better in both.
struct Candidate {
    double x = 0.0;
    double y = 0.0;
    std::size_t index = 0;
};

bool isShown(const PlotFrame& frame, const ScatterPoint& point) {
    return frame.xRange.contains(point.x) && frame.yRange.contains(point.y);
}

}  // namespace

ScatterView wholeView(const ScatterValues& values) {
    ValueRange x = extent(values.points, &ScatterPoint::x);
    if (values.xLimit && !values.points.empty()) {
        x = {std::min(x.low, *values.xLimit), std::max(x.high, *values.xLimit)};
    }
    return {roomyRange(values.x.scale, x),
            roomyRange(values.y.scale, extent(values.points, &ScatterPoint::y))};
}

std::vector<std::size_t> paretoFront(const ScatterValues& values) {
    std::vector<Candidate> candidates;
    for (std::size_t index = 0; index < values.points.size(); ++index) {
        const ScatterPoint& point = values.points[index];
        if (point.fits) {
            candidates.push_back(
                {merit(values.betterX, point.x), merit(values.betterY, point.y), index});
        }
    }
    std::ranges::sort(candidates, [](const Candidate& a, const Candidate& b) {
        return std::tie(b.x, b.y, a.index) < std::tie(a.x, a.y, b.index);
    });
    std::vector<std::size_t> front;
    double best = -std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates) {
        if (candidate.y > best) {
            best = candidate.y;
            front.push_back(candidate.index);
        }
    }
    if (values.betterX == BetterEnd::High) {
        std::ranges::reverse(front);
    }
    return front;
}

FrameParts scatterFrameParts(const ScatterValues& values, const ChartTheme& theme) {
    FrameParts parts{.title = values.title, .x = values.x, .y = values.y};
    for (std::size_t group = 0; group < values.groups.size(); ++group) {
        parts.legend.push_back({.name = values.groups[group],
                                .key = LegendEntry::Key::Marker,
                                .filling = {theme.seriesColour(group)},
                                .marker = seriesMarker(group)});
    }
    if (!std::ranges::all_of(values.points, &ScatterPoint::fits)) {
        parts.legend.push_back({.name = "does not fit",
                                .key = LegendEntry::Key::Marker,
                                .filling = {theme.faint},
                                .marker = MarkerShape::Cross});
    }
    parts.legend.push_back(
        {.name = "best trade-offs", .key = LegendEntry::Key::Line, .filling = {theme.text}});
    return parts;
}

PlotFrame scatterFrame(const ScatterValues& values,
                       const ScatterView& view,
                       const QSizeF& size,
                       const ChartTheme& theme) {
    return plotFrame(scatterFrameParts(values, theme), view.x, view.y, size, theme.textSize);
}

int nearestPoint(const ScatterValues& values,
                 const PlotFrame& frame,
                 const QPointF& place,
                 double reach) {
    if (!frame.plot.contains(place)) {
        return -1;
    }
    int nearest = -1;
    double best = reach * reach;
    for (std::size_t index = 0; index < values.points.size(); ++index) {
        const QPointF away = frame.placeOf(values.points[index].x, values.points[index].y) - place;
        const double distance = QPointF::dotProduct(away, away);
        if (distance <= best && isShown(frame, values.points[index])) {
            best = distance;
            nearest = static_cast<int>(index);
        }
    }
    return nearest;
}

int pointBeside(const ScatterValues& values,
                const PlotFrame& frame,
                int from,
                const QPointF& step) {
    if (from < 0) {
        return nearestPoint(values, frame, frame.plot.center(), frame.plot.width());
    }
    const ScatterPoint& start = values.points[static_cast<std::size_t>(from)];
    const QPointF origin = frame.placeOf(start.x, start.y);
    int nearest = -1;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t index = 0; index < values.points.size(); ++index) {
        const QPointF away = frame.placeOf(values.points[index].x, values.points[index].y) - origin;
        const double along = QPointF::dotProduct(away, step);
        const double aside = std::abs(away.x() * step.y() - away.y() * step.x());
        const double cost = along + 3.0 * aside;
        if (along > 0.5 && cost < best && isShown(frame, values.points[index])) {
            best = cost;
            nearest = static_cast<int>(index);
        }
    }
    return nearest;
}

std::vector<std::uint32_t> pointsIn(const ScatterValues& values,
                                    const PlotFrame& frame,
                                    const QRectF& box) {
    std::vector<std::uint32_t> ids;
    for (const ScatterPoint& point : values.points) {
        if (isShown(frame, point) && box.contains(frame.placeOf(point.x, point.y))) {
            ids.push_back(point.id);
        }
    }
    return ids;
}

QRectF pickPlate(const QPointF& place, double side, const QRectF& plot) {
    constexpr double kRaised = 1.07;  // above the middle of the ring
    QRectF plate(place.x() + kPickRing / 2, place.y() - kRaised * side, side, side);
    if (plate.right() > plot.right()) {
        plate.moveRight(place.x() - kPickRing / 2);
    }
    plate.moveTop(std::clamp(plate.top(), plot.top(), std::max(plot.top(), plot.bottom() - side)));
    return plate;
}

QRectF plateBeside(const QRectF& plate, const QRectF& taken, const QRectF& plot) {
    constexpr double kBetween = 2.0;
    QRectF beside = plate;
    if (plate.intersects(taken)) {
        beside.moveTopLeft({taken.right() + kBetween, taken.top()});
        if (beside.right() > plot.right()) {
            beside.moveRight(taken.left() - kBetween);
        }
    }
    return beside;
}

}  // namespace fabricast
