#pragma once
#include "planner/report/chart.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

inline constexpr double kChartWidth = 480.0;

/// A text of a chart; `more` are attributes: "text-anchor=\"end\"".
std::string svgText(double x, double y, std::string_view text, std::string_view more = {});
std::string svgLine(double x1, double y1, double x2, double y2, std::string_view style);
/// How wide a text is, about: letters differ, and so do fonts.
double svgWidth(std::string_view text);
/// The class of a series' colour; there are fourteen.
std::string seriesClass(std::size_t series);
/// At most so many letters, the last of which is "…" where some are missing.
std::string shortened(std::string_view text, std::size_t letters);
/// Which colour is which, in as many lines as it takes from `top` down; `bottom` is where it ends.
struct SvgLegend {
    std::string svg;
    double bottom = 0.0;
};
SvgLegend legendOf(const std::vector<std::string>& series, double top);
/// The picture around its parts: its name for who cannot see it, and its size.
std::string svgPicture(std::string_view name, double height, const std::string& content);

// Charts as SVG for a page: colours are classes of page_style.h, and what a colour or a place means
// is also a text or a title. The same chart gives the same bytes.

std::string barsSvg(const BarChart& chart);
std::string pointsSvg(const PointChart& chart);

}  // namespace fabricast
