#include "planner/report/svg_words.h"

#include "planner/report/markup.h"
#include "planner/report/table.h"

#include <fmt/format.h>

namespace fabricast {
namespace {

constexpr std::size_t kSeriesColours = 14;
constexpr double kLetter = 7.2;  // of the chart's text, on average
constexpr double kLegendLine = 18.0;

}  // namespace

std::string svgText(double x, double y, std::string_view text, std::string_view more) {
    return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}{}>{}</text>\n",
                       x,
                       y,
                       more.empty() ? "" : " ",
                       more,
                       xmlEscaped(text));
}

std::string svgLine(double x1, double y1, double x2, double y2, std::string_view style) {
    return fmt::format(
        "<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>\n",
        x1,
        y1,
        x2,
        y2,
        style);
}

double svgWidth(std::string_view text) {
    return kLetter * static_cast<double>(textWidth(text));
}

std::string seriesClass(std::size_t series) {
    return fmt::format("c{}", series % kSeriesColours);
}

std::string shortened(std::string_view text, std::size_t letters) {
    if (textWidth(text) <= letters) {
        return std::string(text);
    }
    std::string kept;
    std::size_t count = 0;
    for (const char letter : text) {
        const bool begins = (static_cast<unsigned char>(letter) & 0xC0U) != 0x80U;
        if (begins && ++count == letters) {
            break;
        }
        kept += letter;
    }
    return kept + "…";
}

SvgLegend legendOf(const std::vector<std::string>& series, double top) {
    SvgLegend legend{.svg = {}, .bottom = top};
    double x = 0.0;
    double y = top;
    for (std::size_t i = 0; i < series.size(); ++i) {
        const double width = 22.0 + kLetter * static_cast<double>(textWidth(series[i])) + 12.0;
        if (x > 0.0 && x + width > kChartWidth) {
            x = 0.0;
            y += kLegendLine;
        }
        legend.svg += fmt::format(
            "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"12\" height=\"12\" class=\"{}\"/>\n",
            x,
            y,
            seriesClass(i));
        legend.svg += svgText(x + 17.0, y + 10.5, series[i]);
        x += width;
        legend.bottom = y + kLegendLine;
    }
    return legend;
}

std::string svgPicture(std::string_view name, double height, const std::string& content) {
    return fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"chart\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
        kChartWidth,
        height,
        xmlEscaped(name),
        content);
}

}  // namespace fabricast
