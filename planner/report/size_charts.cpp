#include "planner/report/durations.h"
#include "planner/report/plain_number.h"
#include "planner/report/size_report.h"

#include <fmt/format.h>

#include <algorithm>

namespace fabricast {
namespace {

/// The place of a name among those seen, which it joins when it is new.
std::size_t boxSeries(std::vector<std::string>& series, const std::string& name) {
    const auto found = std::ranges::find(series, name);
    const auto place = static_cast<std::size_t>(found - series.begin());
    if (found == series.end()) {
        series.push_back(name);
    }
    return place;
}

}  // namespace

PointChart sizedPoints(std::span<const SizedCluster> clusters, const SizeAnswer& answer) {
    PointChart chart{.title = "Money and time of each cluster (a number: its nodes)",
                     .xTitle = answer.hasTokens ? "days" : "tokens/s",
                     .yTitle = answer.hasTokens ? "$ of the run" : "$ an hour"};
    for (const SizedCluster& one : clusters) {
        if (one.usd) {
            chart.points.push_back(
                {.x = answer.hasTokens ? one.seconds / kDay : one.tokensPerSecond,
                 .y = *one.usd,
                 .series = boxSeries(chart.series, sizedBoxText(one)),
                 .name = sizedClusterText(one) + ": " + sizedNumbersText(one, answer),
                 .label = std::to_string(one.nodes)});
        }
    }
    return chart;
}

PointChart scalingPoints(std::span<const ScalingPoint> points, const std::string& box) {
    PointChart chart{.title = "Speed of more nodes of " + box,
                     .xTitle = "nodes",
                     .yTitle = "tokens/s",
                     .series = {box},
                     .logarithmic = true};
    for (const ScalingPoint& point : points) {
        if (point.why.empty()) {
            chart.points.push_back(
                {.x = static_cast<double>(point.nodes),
                 .y = point.tokensPerSecond,
                 .series = 0,
                 .name = fmt::format(
                     "{} nodes: {} tokens/s", point.nodes, plainNumber(point.tokensPerSecond, 6)),
                 .label = std::to_string(point.nodes)});
        }
    }
    return chart;
}

}  // namespace fabricast
