#include "gui/charts/marker_outline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace fabricast {
namespace {

constexpr double kHatchStep = 7.0;

QPolygonF regular(int corners, double radius, double turn) {
    QPolygonF outline;
    for (int corner = 0; corner < corners; ++corner) {
        const double angle = turn + 2 * std::numbers::pi * corner / corners;
        outline << QPointF(radius * std::sin(angle), -radius * std::cos(angle));
    }
    return outline;
}

/// The other way round, as a hole is.
QPolygonF reversed(QPolygonF outline) {
    std::ranges::reverse(outline);
    return outline;
}

QPolygonF starOutline(double radius) {
    QPolygonF outline;
    for (int corner = 0; corner < 10; ++corner) {
        const double angle = std::numbers::pi * corner / 5;
        const double reach = corner % 2 == 0 ? radius : radius * 0.45;
        outline << QPointF(reach * std::sin(angle), -reach * std::cos(angle));
    }
    return outline;
}

/// A plus, turned by an angle.
QPolygonF plusOutline(double radius, double turn) {
    const double arm = radius * 0.3;
    const std::array quarter = {QPointF(-arm, -arm), QPointF(-arm, -radius), QPointF(arm, -radius)};
    QPolygonF outline;
    for (int arms = 0; arms < 4; ++arms) {
        const double angle = turn + arms * std::numbers::pi / 2;
        for (const QPointF& corner : quarter) {
            outline << QPointF(corner.x() * std::cos(angle) - corner.y() * std::sin(angle),
                               corner.x() * std::sin(angle) + corner.y() * std::cos(angle));
        }
    }
    return outline;
}

/// Numbers between two: whole multiples of a step, all shifted.
std::vector<double> multiples(double low, double high, double step, double shift) {
    std::vector<double> numbers;
    const auto last = static_cast<std::int64_t>(std::ceil((high - shift) / step));
    for (auto count = static_cast<std::int64_t>(std::floor((low - shift) / step)) + 1; count < last;
         ++count) {
        numbers.push_back(static_cast<double>(count) * step + shift);
    }
    return numbers;
}

/// Lines x + slope·y = k·step, cut to the box.
void addSlanted(std::vector<QLineF>& lines, const QRectF& box, double slope) {
    const std::array ends = {box.left() + slope * box.top(),
                             box.left() + slope * box.bottom(),
                             box.right() + slope * box.top(),
                             box.right() + slope * box.bottom()};
    const auto [low, high] = std::ranges::minmax(ends);
    for (const double at : multiples(low, high, kHatchStep, 0.0)) {
        const double top = std::clamp((at - box.left()) * slope, box.top(), box.bottom());
        const double bottom = std::clamp((at - box.right()) * slope, box.top(), box.bottom());
        lines.emplace_back(at - slope * top, top, at - slope * bottom, bottom);
    }
}

void addRows(std::vector<QLineF>& lines, const QRectF& box, double step) {
    for (const double y : multiples(box.top(), box.bottom(), step, step / 2)) {
        lines.emplace_back(box.left(), y, box.right(), y);
    }
}

void addColumns(std::vector<QLineF>& lines, const QRectF& box, double step) {
    for (const double x : multiples(box.left(), box.right(), step, step / 2)) {
        lines.emplace_back(x, box.top(), x, box.bottom());
    }
}

void addDots(std::vector<QLineF>& lines, const QRectF& box) {
    constexpr double kStep = 5.0;
    constexpr double kDot = 1.5;
    for (const double y : multiples(box.top() + 0.5, box.bottom() - 0.5, kStep, 0.0)) {
        const double shift = std::lround(y / kStep) % 2 == 0 ? 0.0 : kStep / 2;
        for (const double x : multiples(box.left() + 0.5, box.right() - kDot, kStep, shift)) {
            lines.emplace_back(x, y, x + kDot, y);
        }
    }
}

}  // namespace

std::vector<QPolygonF> markerOutline(MarkerShape shape, double size) {
    const double radius = size / 2;
    switch (shape) {
        case MarkerShape::Square:
            return {regular(4, radius * 1.2, std::numbers::pi / 4)};
        case MarkerShape::Triangle:
            return {regular(3, radius * 1.2, 0.0)};
        case MarkerShape::DownTriangle:
            return {regular(3, radius * 1.2, std::numbers::pi)};
        case MarkerShape::Diamond:
            return {regular(4, radius * 1.2, 0.0)};
        case MarkerShape::Plus:
            return {plusOutline(radius * 1.1, 0.0)};
        case MarkerShape::Cross:
            return {plusOutline(radius * 1.1, std::numbers::pi / 4)};
        case MarkerShape::Star:
            return {starOutline(radius * 1.3)};
        case MarkerShape::Hexagon:
            return {regular(6, radius * 1.1, 0.0)};
        case MarkerShape::Ring:
            return {regular(28, radius, 0.0),
                    reversed(regular(28, std::max(radius - 2.0, 0.5), 0.0))};
        case MarkerShape::Circle:
        case MarkerShape::Count_:
            break;
    }
    return {regular(20, radius, 0.0)};
}

std::vector<QLineF> hatchLines(FillPattern pattern, const QRectF& box) {
    std::vector<QLineF> lines;
    switch (pattern) {
        case FillPattern::Rising:
            addSlanted(lines, box, 1.0);
            break;
        case FillPattern::Falling:
            addSlanted(lines, box, -1.0);
            break;
        case FillPattern::Crossed:
            addSlanted(lines, box, 1.0);
            addSlanted(lines, box, -1.0);
            break;
        case FillPattern::Rows:
            addRows(lines, box, 5.0);
            break;
        case FillPattern::Columns:
            addColumns(lines, box, 5.0);
            break;
        case FillPattern::Grid:
            addRows(lines, box, 6.0);
            addColumns(lines, box, 6.0);
            break;
        case FillPattern::Dots:
            addDots(lines, box);
            break;
        case FillPattern::Solid:
        case FillPattern::Count_:
            break;
    }
    return lines;
}

}  // namespace fabricast
