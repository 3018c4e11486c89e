#include "gui/charts/scatter.h"

#include <algorithm>

namespace fabricast {

std::string pointText(const ScatterValues& values, const ScatterPoint& point) {
    std::string text = point.label.empty() ? "" : point.label + "\n";
    text += values.y.title + ": " + valueText(values.y.unit, point.y) + "\n";
    text += values.x.title + ": " + valueText(values.x.unit, point.x);
    if (point.group < values.groups.size()) {
        text += "\n" + values.groups[point.group];
    }
    return text + (point.fits ? "" : "\ndoes not fit");
}

std::string describeScatter(const ScatterValues& values, std::span<const std::size_t> front) {
    if (values.points.empty()) {
        return titleIntro(values.title) + "no plans.";
    }
    const auto fitting = std::ranges::count_if(values.points, &ScatterPoint::fits);
    std::string text = titleIntro(values.title) + values.y.title + " against " + values.x.title +
                       " of " + grouped(static_cast<long long>(values.points.size())) +
                       " plans, of which " + grouped(fitting) + " fit.";
    if (!front.empty()) {
        const ScatterPoint& first = values.points[front.front()];
        const ScatterPoint& last = values.points[front.back()];
        text += " The best trade-offs are " + grouped(static_cast<long long>(front.size())) +
                " plans, from " + valueText(values.y.unit, first.y) + " at " +
                valueText(values.x.unit, first.x) + " to " + valueText(values.y.unit, last.y) +
                " at " + valueText(values.x.unit, last.x) + ".";
    }
    if (values.xLimit) {
        text += " The limit is " + valueText(values.x.unit, *values.xLimit) + ".";
    }
    return text;
}

Table scatterTable(const ScatterValues& values) {
    Table table{{{"plan"},
                 {exactCaption(values.x.title, values.x.unit), Align::Right},
                 {exactCaption(values.y.title, values.y.unit), Align::Right},
                 {"group"},
                 {"fits"}},
                {}};
    for (const ScatterPoint& point : values.points) {
        table.rows.push_back(
            {point.label,
             exactNumber(point.x),
             exactNumber(point.y),
             point.group < values.groups.size() ? values.groups[point.group] : std::string(),
             point.fits ? "yes" : "no"});
    }
    return table;
}

}  // namespace fabricast
