#pragma once
#include "gui/charts/plot_frame.h"
#include "planner/report/table.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// The spans of a lane, one array per field, by start; they do not overlap.
struct SpanLane {
    std::string name;           ///< "stage 0 compute"
    std::vector<double> start;  ///< in seconds
    std::vector<double> end;
    std::vector<std::uint8_t> kind;      ///< index of TimelineValues::kinds
    std::vector<std::uint32_t> label;    ///< index of TimelineValues::labels
    std::vector<std::uint8_t> critical;  ///< 1: on the critical path; may be empty for none
    [[nodiscard]] std::size_t size() const { return start.size(); }
};

/// From the end of one span to the start of another.
struct SpanArrow {
    std::uint32_t fromLane = 0;
    double fromTime = 0.0;
    std::uint32_t toLane = 0;
    double toTime = 0.0;
    bool critical = false;
};

/// Memory over time: a step at each time, to the next.
struct StepCurve {
    std::string name;
    std::vector<double> times;
    std::vector<double> bytes;
    double limit = 0.0;  ///< 0: none
};

/// This is a step of training as it runs: what each lane does when.
struct TimelineValues {
    std::string title;
    std::vector<std::string> kinds;   ///< "forward", "backward", …: colour and legend
    std::vector<std::string> labels;  ///< of spans: "F3"
    std::vector<SpanLane> lanes;
    std::vector<SpanArrow> arrows;
    std::vector<StepCurve> curves;  ///< below the lanes
    [[nodiscard]] std::size_t spanCount() const;
};

/// A span, by its lane and place in it.
struct SpanRef {
    std::uint32_t lane = 0;
    std::uint32_t span = 0;
    friend bool operator==(const SpanRef&, const SpanRef&) = default;
};

/// The colour of a kind of spans: no two have the same where there are more kinds than colours of
/// series.
QColor kindColour(const ChartTheme& theme, std::size_t kind);

/// From the first start to the last end.
ValueRange wholeTime(const TimelineValues& values);
/// Within the whole, and no nearer than a ten millionth of it.
ValueRange timeZoomed(const TimelineValues& values,
                      const ValueRange& view,
                      double around,
                      double factor);
ValueRange timeMoved(const TimelineValues& values, const ValueRange& view, double share);

struct TimelineLayout {
    PlotFrame frame;            ///< x is time
    std::vector<QRectF> lanes;  ///< from the first shown
    std::size_t firstLane = 0;
    std::size_t laneRoom = 0;  ///< for how many there is space
    std::vector<QRectF> curves;
};

/// What of it is shown.
struct TimelineView {
    ValueRange time;
    std::size_t firstLane = 0;  ///< how far it is scrolled down
};

FrameParts timelineFrameParts(const TimelineValues& values,
                              const QSizeF& size,
                              const ChartTheme& theme);
TimelineLayout timelineLayout(const TimelineValues& values,
                              const TimelineView& view,
                              const QSizeF& size,
                              const ChartTheme& theme);
/// The span at a place, or the nearest within two pixels.
std::optional<SpanRef> spanAt(const TimelineValues& values,
                              const TimelineLayout& layout,
                              const QPointF& place);
/// The one of a lane at a time, or the next, or the last; none in an empty lane.
std::optional<SpanRef> spanNear(const TimelineValues& values, std::size_t lane, double time);
/// So many spans later in the same lane.
std::optional<SpanRef> spanBeside(const TimelineValues& values, const SpanRef& from, int spans);
/// At the same time in the next lane up (-1) or down (1) that has spans.
std::optional<SpanRef> spanInLaneBeside(const TimelineValues& values,
                                        const SpanRef& from,
                                        int lanes);
/// Cut to the view; empty where it is not in it.
QRectF spanBox(const TimelineValues& values, const TimelineLayout& layout, const SpanRef& span);
std::string spanText(const TimelineValues& values, const SpanRef& span);
std::string describeTimeline(const TimelineValues& values);
Table timelineTable(const TimelineValues& values);
void paintTimeline(Canvas& canvas,
                   const TimelineValues& values,
                   const TimelineLayout& layout,
                   const ChartTheme& theme);

}  // namespace fabricast
