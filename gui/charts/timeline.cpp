#include "gui/charts/timeline.h"

#include "gui/charts/name_column.h"
#include "gui/charts/span_raster.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fabricast {
namespace {

/// How a lane's height is bounded, in letters.
constexpr double kLeastLane = 1.1;
constexpr double kMostLane = 3.2;
/// Of the height, for the memory below the lanes.
constexpr double kCurveShare = 0.26;
constexpr double kHitReach = 2.0;  ///< pixels

double curveHeight(const TimelineValues& values, double whole, double textSize) {
    if (values.curves.empty()) {
        return 0.0;
    }
    const double least = textSize * 3.2 * static_cast<double>(values.curves.size());
    return std::min(std::max(whole * kCurveShare, least), whole * 0.5);
}

void placeLanes(TimelineLayout& layout,
                const TimelineValues& values,
                const QRectF& area,
                double textSize) {
    const std::size_t all = std::max<std::size_t>(values.lanes.size(), 1);
    const double share = area.height() / static_cast<double>(all);
    const double height = std::clamp(share, textSize * kLeastLane, textSize * kMostLane);
    const double gap = std::min(height * 0.14, 4.0);
    layout.laneRoom = static_cast<std::size_t>(std::max(1.0, area.height() / height + 0.01));
    const std::size_t shown = std::min(layout.laneRoom, values.lanes.size() - layout.firstLane);
    for (std::size_t row = 0; row < shown; ++row) {
        const double top = area.top() + height * static_cast<double>(row) + gap;
        layout.lanes.emplace_back(area.left(), top, area.width(), height - gap);
    }
}

/// How far a time is from a span, in seconds; 0 within.
double distanceTo(const SpanLane& lane, std::size_t span, double time) {
    return std::max({lane.start[span] - time, time - lane.end[span], 0.0});
}

}  // namespace

std::size_t TimelineValues::spanCount() const {
    std::size_t count = 0;
    for (const SpanLane& lane : lanes) {
        count += lane.size();
    }
    return count;
}

ValueRange wholeTime(const TimelineValues& values) {
    ValueRange range{std::numeric_limits<double>::infinity(),
                     -std::numeric_limits<double>::infinity()};
    for (const SpanLane& lane : values.lanes) {
        if (lane.size() > 0) {
            range = {std::min(range.low, lane.start.front()),
                     std::max(range.high, lane.end.back())};
        }
    }
    return range.low < range.high ? range : ValueRange{};
}

ValueRange timeZoomed(const TimelineValues& values,
                      const ValueRange& view,
                      double around,
                      double factor) {
    const ValueRange whole = wholeTime(values);
    constexpr double kNearest = 1e-7;  // of the whole
    const double span = std::clamp(view.span() / factor, whole.span() * kNearest, whole.span());
    const double share = (around - view.low) / view.span();
    const double low = std::clamp(around - share * span, whole.low, whole.high - span);
    return {low, low + span};
}

ValueRange timeMoved(const TimelineValues& values, const ValueRange& view, double share) {
    const ValueRange whole = wholeTime(values);
    const double low = std::clamp(
        view.low + share * view.span(), whole.low, std::max(whole.low, whole.high - view.span()));
    return {low, low + view.span()};
}

QColor kindColour(const ChartTheme& theme, std::size_t kind) {
    constexpr double kLeft = 0.6;
    const auto round = static_cast<double>(kind / ChartTheme::kSeries);
    return mixed(theme.seriesColour(kind), theme.text, 1.0 - std::pow(kLeft, round));
}

FrameParts timelineFrameParts(const TimelineValues& values,
                              const QSizeF& size,
                              const ChartTheme& theme) {
    FrameParts parts{.title = values.title, .x = {.title = "time", .unit = AxisUnit::Seconds}};
    for (std::size_t kind = 0; kind < values.kinds.size(); ++kind) {
        parts.legend.push_back({.name = values.kinds[kind], .filling = {kindColour(theme, kind)}});
    }
    const bool critical = std::ranges::any_of(
        values.lanes, [](const SpanLane& lane) { return !lane.critical.empty(); });
    if (critical) {
        parts.legend.push_back(
            {.name = "critical path", .key = LegendEntry::Key::Line, .filling = {theme.bad}});
    }
    std::vector<std::string> names;
    for (const SpanLane& lane : values.lanes) {
        names.push_back(lane.name);
    }
    for (const StepCurve& curve : values.curves) {
        names.push_back(curve.name);
    }
    parts.leftNames = nameColumnWidth(names, size.width(), theme.textSize);
    return parts;
}

TimelineLayout timelineLayout(const TimelineValues& values,
                              const TimelineView& view,
                              const QSizeF& size,
                              const ChartTheme& theme) {
    TimelineLayout layout{
        .frame =
            plotFrame(timelineFrameParts(values, size, theme), view.time, {}, size, theme.textSize),
        .firstLane = std::min(view.firstLane, values.lanes.size())};
    QRectF area = layout.frame.plot;
    const double below = curveHeight(values, area.height(), theme.textSize);
    placeLanes(layout, values, area.adjusted(0.0, 0.0, 0.0, -below), theme.textSize);
    if (!layout.lanes.empty()) {
        area.setTop(std::max(area.bottom() - below, layout.lanes.back().bottom()));
    }
    for (const QRectF& row : equalRows(area, values.curves.size())) {
        layout.curves.push_back(row.adjusted(0.0, theme.textSize * 0.6, 0.0, -1.0));
    }
    return layout;
}

std::optional<SpanRef> spanAt(const TimelineValues& values,
                              const TimelineLayout& layout,
                              const QPointF& place) {
    const auto row = std::ranges::find_if(layout.lanes,
                                          [&](const QRectF& lane) { return lane.contains(place); });
    if (row == layout.lanes.end()) {
        return std::nullopt;
    }
    const std::size_t index =
        layout.firstLane + static_cast<std::size_t>(row - layout.lanes.begin());
    const SpanLane& lane = values.lanes[index];
    const double time = layout.frame.xAt(place.x());
    const std::size_t after = firstSpanAfter(lane, time);
    std::optional<std::size_t> nearest;
    for (const std::size_t span : {after, after - 1}) {
        if (span < lane.size() &&
            (!nearest || distanceTo(lane, span, time) < distanceTo(lane, *nearest, time))) {
            nearest = span;
        }
    }
    const double reach = kHitReach * layout.frame.xRange.span() / layout.frame.plot.width();
    if (!nearest || distanceTo(lane, *nearest, time) > reach) {
        return std::nullopt;
    }
    return SpanRef{static_cast<std::uint32_t>(index), static_cast<std::uint32_t>(*nearest)};
}

QRectF spanBox(const TimelineValues& values, const TimelineLayout& layout, const SpanRef& span) {
    const std::size_t row = span.lane - layout.firstLane;
    if (span.lane < layout.firstLane || row >= layout.lanes.size()) {
        return {};
    }
    const SpanLane& lane = values.lanes[span.lane];
    const ValueRange& view = layout.frame.xRange;
    if (lane.end[span.span] < view.low || lane.start[span.span] > view.high) {
        return {};
    }
    const QRectF& plot = layout.frame.plot;
    const double left =
        std::clamp(layout.frame.xOf(lane.start[span.span]), plot.left(), plot.right());
    const double right =
        std::clamp(layout.frame.xOf(lane.end[span.span]), plot.left(), plot.right());
    return {left, layout.lanes[row].top(), std::max(right - left, 1.0), layout.lanes[row].height()};
}

std::optional<SpanRef> spanNear(const TimelineValues& values, std::size_t lane, double time) {
    if (lane >= values.lanes.size() || values.lanes[lane].size() == 0) {
        return std::nullopt;
    }
    const std::size_t span =
        std::min(firstSpanAfter(values.lanes[lane], time), values.lanes[lane].size() - 1);
    return SpanRef{static_cast<std::uint32_t>(lane), static_cast<std::uint32_t>(span)};
}

std::optional<SpanRef> spanBeside(const TimelineValues& values, const SpanRef& from, int spans) {
    const auto next = static_cast<std::int64_t>(from.span) + spans;
    if (next < 0 || next >= static_cast<std::int64_t>(values.lanes[from.lane].size())) {
        return std::nullopt;
    }
    return SpanRef{from.lane, static_cast<std::uint32_t>(next)};
}

std::optional<SpanRef> spanInLaneBeside(const TimelineValues& values,
                                        const SpanRef& from,
                                        int lanes) {
    const SpanLane& lane = values.lanes[from.lane];
    const double time = (lane.start[from.span] + lane.end[from.span]) / 2;
    for (auto next = static_cast<std::int64_t>(from.lane) + lanes;
         next >= 0 && next < static_cast<std::int64_t>(values.lanes.size());
         next += lanes) {
        if (const auto span = spanNear(values, static_cast<std::size_t>(next), time)) {
            return span;
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
