#include "gui/charts/timeline.h"
#include "planner/base/quantity_text.h"

#include <algorithm>

namespace fabricast {
namespace {

constexpr AxisUnit kTime = AxisUnit::Seconds;

std::string kindName(const TimelineValues& values, std::uint8_t kind) {
    return kind < values.kinds.size() ? values.kinds[kind] : std::string();
}

std::string spanName(const TimelineValues& values, const SpanLane& lane, std::size_t span) {
    const bool named = span < lane.label.size() && lane.label[span] < values.labels.size();
    return named ? values.labels[lane.label[span]] : kindName(values, lane.kind[span]);
}

bool isCritical(const SpanLane& lane, std::size_t span) {
    return span < lane.critical.size() && lane.critical[span] != 0;
}

/// Seconds by kind, over all lanes.
std::vector<double> timeByKind(const TimelineValues& values) {
    std::vector<double> seconds(values.kinds.size() + 1);
    for (const SpanLane& lane : values.lanes) {
        for (std::size_t span = 0; span < lane.size(); ++span) {
            const std::size_t kind = std::min<std::size_t>(lane.kind[span], values.kinds.size());
            seconds[kind] += lane.end[span] - lane.start[span];
        }
    }
    return seconds;
}

}  // namespace

std::string spanText(const TimelineValues& values, const SpanRef& span) {
    const SpanLane& lane = values.lanes[span.lane];
    const std::string name = spanName(values, lane, span.span);
    const std::string kind = kindName(values, lane.kind[span.span]);
    const double start = lane.start[span.span];
    const double end = lane.end[span.span];
    std::string text = name == kind ? name : name + ": " + kind;
    text += "\n" + lane.name + "\n" + valueText(kTime, end - start) + ", from " +
            valueText(kTime, start) + " to " + valueText(kTime, end);
    return isCritical(lane, span.span) ? text + "\non the critical path" : text;
}

std::string describeTimeline(const TimelineValues& values) {
    if (values.spanCount() == 0) {
        return titleIntro(values.title) + "nothing happens.";
    }
    const double whole = wholeTime(values).span();
    std::string text = titleIntro(values.title) + valueText(kTime, whole) + " on " +
                       std::to_string(values.lanes.size()) + " lanes, " +
                       grouped(static_cast<long long>(values.spanCount())) + " spans.";
    const std::vector<double> seconds = timeByKind(values);
    const double all = whole * static_cast<double>(values.lanes.size());
    double idle = all;
    text += " Of the time of all lanes:";
    for (std::size_t kind = 0; kind < seconds.size(); ++kind) {
        idle -= seconds[kind];
        const double share = seconds[kind] / all;
        if (kind < values.kinds.size() && percentText(share) != percentText(0.0)) {
            text += " " + values.kinds[kind] + " " + valueText(AxisUnit::Percent, share) + ",";
        }
    }
    text += " idle " + valueText(AxisUnit::Percent, std::max(idle / all, 0.0)) + ".";
    for (const StepCurve& curve : values.curves) {
        if (!curve.bytes.empty()) {
            text += " " + curve.name + ": at most " +
                    valueText(AxisUnit::Bytes, std::ranges::max(curve.bytes)) + ".";
        }
    }
    return text;
}

Table timelineTable(const TimelineValues& values) {
    Table table{{{"lane"},
                 {"span"},
                 {"kind"},
                 {"start (s)", Align::Right},
                 {"end (s)", Align::Right},
                 {"critical"}},
                {}};
    for (const SpanLane& lane : values.lanes) {
        for (std::size_t span = 0; span < lane.size(); ++span) {
            table.rows.push_back({lane.name,
                                  spanName(values, lane, span),
                                  kindName(values, lane.kind[span]),
                                  exactNumber(lane.start[span]),
                                  exactNumber(lane.end[span]),
                                  isCritical(lane, span) ? "yes" : "no"});
        }
    }
    return table;
}

}  // namespace fabricast
