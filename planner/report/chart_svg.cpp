#include "planner/report/markup.h"
#include "planner/report/scales.h"
#include "planner/report/svg_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

// ---- bars

constexpr double kRow = 36.0;
constexpr double kBarTop = 17.0;  // below the bar's words
constexpr double kBarHeight = 13.0;
constexpr std::size_t kLabelLetters = 50;

double longestOf(const BarChart& chart) {
    double longest = chart.limit ? chart.limit->at : 0.0;
    for (const BarChart::Bar& bar : chart.bars) {
        for (const BarChart::Length& length : bar.lengths) {
            longest = std::max({longest, length.from, length.to});
        }
    }
    return longest > 0.0 ? longest : 1.0;
}

std::string barSvg(const BarChart& chart, const BarChart::Bar& bar, double top, double perUnit) {
    std::string svg = fmt::format("<g><title>{}: {}</title>\n{}",
                                  xmlEscaped(bar.label),
                                  xmlEscaped(bar.text),
                                  svgText(0.0, top + 12.0, shortened(bar.label, kLabelLetters)));
    for (const BarChart::Length& length : bar.lengths) {
        const double from = std::max(0.0, std::min(length.from, length.to));
        const double to = std::max({0.0, length.from, length.to});
        const double width = (to - from) * perUnit;
        if (width < 0.05) {
            continue;
        }
        const std::string series =
            length.series < chart.series.size() ? chart.series[length.series] : "";
        svg += fmt::format(
            "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.0f}\" class=\"bar "
            "{}\"><title>{}{}{:.4g}</title></rect>\n",
            from * perUnit,
            top + kBarTop,
            width,
            kBarHeight,
            seriesClass(length.series),
            xmlEscaped(bar.label),
            series.empty() ? ": " : ", " + xmlEscaped(series) + ": ",
            to - from);
    }
    return svg + svgText(kChartWidth, top + 12.0, bar.text, "text-anchor=\"end\"") + "</g>\n";
}

/// Beside the bars, and not through their words.
std::string limitSvg(const BarChart& chart, double top, double perUnit) {
    constexpr double kOver = 4.0;
    const double x = chart.limit->at * perUnit;
    std::string svg = svgText(x,
                              top - 4.0,
                              "limit " + chart.limit->text,
                              x > kChartWidth / 2.0 ? "text-anchor=\"end\"" : "");
    for (std::size_t bar = 0; bar < chart.bars.size(); ++bar) {
        const double y = top + kRow * static_cast<double>(bar) + kBarTop;
        svg += svgLine(x, y - kOver + 1.0, x, y + kBarHeight + kOver, "limit");
    }
    return svg;
}

// ---- points

constexpr double kTickGap = 6.0;
constexpr double kRight = kChartWidth - 16.0;
constexpr double kPointsHeight = 290.0;
constexpr double kPointSize = 4.5;

/// A shape for each series, so that colour is not all that tells them apart.
std::string markSvg(double x, double y, std::size_t series) {
    const std::string style = fmt::format("class=\"point {}\"", seriesClass(series));
    return series % 2 == 0
               ? fmt::format(
                     "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{}\" {}/>", x, y, kPointSize, style)
               : fmt::format("<path d=\"M{:.1f} {:.1f}l{} {}h-{}z\" {}/>",
                             x,
                             y - kPointSize,
                             kPointSize,
                             2.0 * kPointSize,
                             2.0 * kPointSize,
                             style);
}

/// The two scales of a chart of points.
struct PointScales {
    ChartAxis x;
    ChartAxis y;
    double margin = 0.0;  ///< left of the points, for the widest number

    [[nodiscard]] double left(double value) const {
        return margin + x.share(value) * (kRight - margin);
    }
    [[nodiscard]] double height(double value) const {
        return kPointsHeight * (1.0 - y.share(value));
    }
};

double marginOf(const ChartAxis& y) {
    constexpr double kLeast = 58.0;
    double margin = kLeast;
    for (const double tick : y.ticks()) {
        margin = std::max(margin, svgWidth(tickText(tick)) + kTickGap);
    }
    return margin;
}

PointScales scalesOf(const std::vector<PointChart::Point>& points, bool logarithmic, bool same) {
    std::vector<double> xs;
    std::vector<double> ys;
    for (const PointChart::Point& point : points) {
        xs.push_back(point.x);
        ys.push_back(point.y);
    }
    if (same) {
        xs.insert(xs.end(), ys.begin(), ys.end());
        ys = xs;
    }
    const ChartAxis y = ChartAxis::around(ys, logarithmic);
    return {ChartAxis::around(xs, logarithmic), y, marginOf(y)};
}

std::string gridSvg(const PointScales& scales, double top) {
    std::string svg;
    for (const double tick : scales.x.ticks()) {
        const double x = scales.left(tick);
        svg += svgLine(x, top, x, top + kPointsHeight, "rule");
        svg += svgText(x, top + kPointsHeight + 16.0, tickText(tick), "text-anchor=\"middle\"");
    }
    for (const double tick : scales.y.ticks()) {
        const double y = top + scales.height(tick);
        svg += svgLine(scales.margin, y, kRight, y, "rule");
        svg += svgText(scales.margin - kTickGap, y + 4.0, tickText(tick), "text-anchor=\"end\"");
    }
    return svg;
}

/// Where both numbers are equal, as far as both axes reach.
std::string diagonalSvg(const PointScales& scales, double top) {
    const double from = std::max(scales.x.low(), scales.y.low());
    const double to = std::min(scales.x.high(), scales.y.high());
    return from < to ? svgLine(scales.left(from),
                               top + scales.height(from),
                               scales.left(to),
                               top + scales.height(to),
                               "limit")
                     : "";
}

std::string pointSvg(const PointChart::Point& point, const PointScales& scales, double top) {
    const double x = scales.left(point.x);
    const double y = top + scales.height(point.y);
    return "<g><title>" + xmlEscaped(point.name) + "</title>" + markSvg(x, y, point.series) +
           "</g>\n";
}

/// Labels of points that lie on each other stand side by side: "1, 2".
std::string labelsSvg(const std::vector<PointChart::Point>& points,
                      const PointScales& scales,
                      double top) {
    constexpr double kNear = 15.0;
    struct Label {
        double x = 0.0;
        double y = 0.0;
        std::string text;
    };
    std::vector<Label> labels;
    for (const PointChart::Point& point : points) {
        if (point.label.empty()) {
            continue;
        }
        const Label next{scales.left(point.x), top + scales.height(point.y), point.label};
        const auto near = std::ranges::find_if(labels, [&next](const Label& other) {
            return std::abs(other.x - next.x) < kNear && std::abs(other.y - next.y) < kNear;
        });
        if (near == labels.end()) {
            labels.push_back(next);
        } else {
            near->text += ", " + next.text;
        }
    }
    std::string svg;
    for (const Label& label : labels) {
        svg += svgText(label.x + kPointSize + 3.0, label.y - 7.0, label.text);
    }
    return svg;
}

}  // namespace

std::string barsSvg(const BarChart& chart) {
    const double perUnit = kChartWidth / longestOf(chart);
    const SvgLegend legend = legendOf(chart.series, 2.0);
    const double top = legend.bottom + (chart.limit ? 22.0 : 6.0);
    std::string svg = legend.svg;
    double y = top;
    for (const BarChart::Bar& bar : chart.bars) {
        svg += barSvg(chart, bar, y, perUnit);
        y += kRow;
    }
    svg += chart.limit ? limitSvg(chart, top, perUnit) : "";
    return svgPicture(chart.title, y, svg);
}

std::string pointsSvg(const PointChart& chart) {
    std::vector<PointChart::Point> points = chart.points;
    std::erase_if(points, [&chart](const PointChart::Point& point) {
        const bool isNumber = std::isfinite(point.x) && std::isfinite(point.y);
        return !isNumber || (chart.logarithmic && (point.x <= 0.0 || point.y <= 0.0));
    });
    const PointScales scales = scalesOf(points, chart.logarithmic, chart.diagonal);
    const SvgLegend legend = legendOf(chart.series, 2.0);
    const double top = legend.bottom + 30.0;
    std::string svg = legend.svg + svgText(0.0, top - 16.0, chart.yTitle, "class=\"soft\"");
    svg += gridSvg(scales, top);
    svg += chart.diagonal ? diagonalSvg(scales, top) : "";
    for (const PointChart::Point& point : points) {
        svg += pointSvg(point, scales, top);
    }
    svg += labelsSvg(points, scales, top);
    const double bottom = top + kPointsHeight + 36.0;
    svg += svgText(kRight, bottom - 4.0, chart.xTitle, "text-anchor=\"end\" class=\"soft\"");
    return svgPicture(chart.title, bottom, svg);
}

}  // namespace fabricast
