#include "gui/charts/name_column.h"
#include "gui/charts/span_raster.h"
#include "gui/charts/step_curve_paint.h"
#include "gui/charts/timeline.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace fabricast {
namespace {

constexpr double kLabelledSpan = 28.0;  ///< pixels; narrower ones have no label
constexpr double kCriticalHeight = 3.0;
constexpr std::size_t kMostArrows = 600;

/// The colour of each kind at each level of business.
class LanePalette {
public:
    LanePalette(const ChartTheme& theme) : idle_(laneGround(theme).rgb()) {
        for (std::size_t kind = 0; kind < kMostSpanKinds; ++kind) {
            const QColor colour = kindColour(theme, kind);
            edges_[kind] = mixed(colour, theme.plot, 0.6).rgb();
            for (std::size_t level = 0; level < kShades; ++level) {
                const double share = 0.35 + 0.65 * static_cast<double>(level) / (kShades - 1);
                colours_[kind][level] = mixed(laneGround(theme), colour, share).rgb();
            }
        }
    }

    static QColor laneGround(const ChartTheme& theme) {
        return mixed(theme.plot, theme.axis, 0.14);
    }

    [[nodiscard]] QRgb of(const SpanColumn& column) const {
        if (column.kind == SpanColumn::kIdle) {
            return idle_;
        }
        return column.edge ? edges_[column.kind]
                           : colours_[column.kind][column.busy * (kShades - 1) / 255];
    }

private:
    static constexpr std::size_t kShades = 16;
    QRgb idle_;
    std::array<QRgb, kMostSpanKinds> edges_{};
    std::array<std::array<QRgb, kShades>, kMostSpanKinds> colours_{};
};

/// A lane where it is shown.
struct LaneRow {
    const SpanLane& lane;
    QRectF box;
};

void paintLane(Canvas& canvas,
               const LaneRow& shown,
               const ValueRange& view,
               const LanePalette& palette,
               const ChartTheme& theme) {
    const auto& [lane, row] = shown;
    const auto count = static_cast<std::size_t>(std::lround(row.width() * canvas.density()));
    const std::vector<SpanColumn> columns = spanColumns(lane, view, count);
    std::vector<QRgb> colours(columns.size());
    std::ranges::transform(
        columns, colours.begin(), [&](const SpanColumn& column) { return palette.of(column); });
    canvas.strip(row, colours);
    if (lane.critical.empty()) {
        return;
    }
    const QRgb red = theme.bad.rgb();
    std::ranges::transform(columns, colours.begin(), [&](const SpanColumn& column) {
        return column.critical ? red : QRgb{0};
    });
    canvas.strip({row.left(), row.top(), row.width(), std::min(kCriticalHeight, row.height() / 2)},
                 colours);
}

/// On spans that are wide enough, where the lane is high enough.
void paintSpanLabels(Canvas& canvas,
                     const TimelineValues& values,
                     const LaneRow& shown,
                     const PlotFrame& frame,
                     const ChartTheme& theme) {
    const auto& [lane, row] = shown;
    const double size = theme.textSize * 0.9;
    if (row.height() < size * 1.1 || lane.label.empty()) {
        return;
    }
    const double least = kLabelledSpan * frame.xRange.span() / frame.plot.width();
    for (std::size_t span = firstSpanAfter(lane, frame.xRange.low);
         span < lane.size() && lane.start[span] < frame.xRange.high;
         ++span) {
        if (lane.end[span] - lane.start[span] < least || lane.label[span] >= values.labels.size()) {
            continue;
        }
        const double left = std::max(frame.xOf(lane.start[span]), row.left());
        const double right = std::min(frame.xOf(lane.end[span]), row.right());
        const std::string text =
            shortened(values.labels[lane.label[span]], right - left - size * 0.4, size);
        if (right - left >= kLabelledSpan && !text.empty()) {
            canvas.text({(left + right) / 2, row.center().y() + size * 0.42},
                        text,
                        {.colour = readableOn(kindColour(theme, lane.kind[span])),
                         .size = size,
                         .anchor = TextAnchor::Middle});
        }
    }
}

bool isInView(const SpanArrow& arrow, const TimelineLayout& layout) {
    const auto shown = [&](std::uint32_t lane) {
        return lane >= layout.firstLane && lane - layout.firstLane < layout.lanes.size();
    };
    return shown(arrow.fromLane) && shown(arrow.toLane) &&
           arrow.toTime >= layout.frame.xRange.low && arrow.fromTime <= layout.frame.xRange.high;
}

void paintArrow(Canvas& canvas,
                const SpanArrow& arrow,
                const TimelineLayout& layout,
                const ChartTheme& theme) {
    const QRectF& from = layout.lanes[arrow.fromLane - layout.firstLane];
    const QRectF& to = layout.lanes[arrow.toLane - layout.firstLane];
    const bool down = to.top() > from.top();
    const QPointF start(layout.frame.xOf(arrow.fromTime), down ? from.bottom() : from.top());
    const QPointF end(layout.frame.xOf(arrow.toTime), down ? to.top() : to.bottom());
    const QColor colour = arrow.critical ? theme.bad : theme.text;
    canvas.line(start, end, {.colour = colour, .width = arrow.critical ? 1.5 : 1.0});
    const QPointF way = end - start;
    const double length = std::max(std::hypot(way.x(), way.y()), 1e-9);
    const QPointF ahead = way / length * 5.0;
    const QPointF aside(-ahead.y() * 0.5, ahead.x() * 0.5);
    const std::array head = {end, end - ahead + aside, end - ahead - aside};
    canvas.area(head, colour);
}

/// All arrows in the view; where they are too many to follow, those of the critical path.
void paintArrows(Canvas& canvas,
                 const TimelineValues& values,
                 const TimelineLayout& layout,
                 const ChartTheme& theme) {
    std::vector<const SpanArrow*> shown;
    for (const SpanArrow& arrow : values.arrows) {
        if (isInView(arrow, layout)) {
            shown.push_back(&arrow);
        }
    }
    const bool all = shown.size() <= kMostArrows;
    std::size_t painted = 0;
    for (const SpanArrow* arrow : shown) {
        if (all || (arrow->critical && painted < kMostArrows)) {
            paintArrow(canvas, *arrow, layout, theme);
            ++painted;
        }
    }
}

/// Where not all lanes have space: which ones are shown.
void paintLaneNote(Canvas& canvas,
                   const TimelineValues& values,
                   const TimelineLayout& layout,
                   const ChartTheme& theme) {
    if (layout.lanes.size() >= values.lanes.size()) {
        return;
    }
    const std::string text = "lanes " + std::to_string(layout.firstLane + 1) + " to " +
                             std::to_string(layout.firstLane + layout.lanes.size()) + " of " +
                             std::to_string(values.lanes.size());
    canvas.text({theme.textSize * 0.8, layout.frame.plot.bottom() + theme.textSize * 2.8},
                text,
                {.colour = theme.faint, .size = theme.textSize});
}

}  // namespace

void paintTimeline(Canvas& canvas,
                   const TimelineValues& values,
                   const TimelineLayout& layout,
                   const ChartTheme& theme) {
    const PlotFrame& frame = layout.frame;
    paintFrame(canvas,
               frame,
               timelineFrameParts(values, {frame.plot.right(), frame.plot.bottom()}, theme),
               theme);
    const LanePalette palette(theme);
    for (std::size_t row = 0; row < layout.lanes.size(); ++row) {
        const SpanLane& lane = values.lanes[layout.firstLane + row];
        const QRectF& box = layout.lanes[row];
        paintRowName(canvas, lane.name, {0.0, box.top(), 1.0, box.height()}, box.left(), theme);
        paintLane(canvas, {lane, box}, frame.xRange, palette, theme);
    }
    canvas.clip(frame.plot);
    for (std::size_t row = 0; row < layout.lanes.size(); ++row) {
        paintSpanLabels(canvas,
                        values,
                        {values.lanes[layout.firstLane + row], layout.lanes[row]},
                        frame,
                        theme);
    }
    paintArrows(canvas, values, layout, theme);
    canvas.unclip();
    paintLaneNote(canvas, values, layout, theme);
    for (std::size_t row = 0; row < layout.curves.size(); ++row) {
        paintStepCurve(canvas, values.curves[row], layout.curves[row], frame, theme);
    }
}

}  // namespace fabricast
