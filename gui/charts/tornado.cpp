#include "gui/charts/tornado.h"

#include "gui/charts/name_column.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace fabricast {
namespace {

/// Where its bar ends; one that is not known has no length.
double highOf(const TornadoValues& values, const TornadoRow& row) {
    return row.high.value_or(values.base);
}

double reachOf(const TornadoValues& values, std::size_t row) {
    return std::max(std::abs(values.rows[row].low - values.base),
                    std::abs(highOf(values, values.rows[row]) - values.base));
}

/// A line of its own each.
std::vector<std::string> endTexts(const TornadoValues& values, const TornadoRow& row) {
    std::vector<std::string> texts = {tornadoEndText(values, row, TornadoEnd::Low),
                                      tornadoEndText(values, row, TornadoEnd::High)};
    std::erase(texts, "");
    return texts;
}

std::vector<std::size_t> longestFirst(const TornadoValues& values) {
    std::vector<std::size_t> order(values.rows.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
        return reachOf(values, a) > reachOf(values, b);
    });
    return order;
}

/// Wide enough for the labels at both ends of the longest bars.
ValueRange tornadoRange(const TornadoValues& values, double plotWidth, double textSize) {
    ValueRange range{values.base, values.base};
    double widest = 0.0;
    for (const TornadoRow& row : values.rows) {
        range.low = std::min({range.low, row.low, highOf(values, row)});
        range.high = std::max({range.high, row.low, highOf(values, row)});
        widest =
            std::max({widest,
                      roughTextWidth(tornadoEndText(values, row, TornadoEnd::Low), textSize),
                      roughTextWidth(tornadoEndText(values, row, TornadoEnd::High), textSize)});
    }
    if (range.span() <= 0.0) {
        return roomyRange(AxisScale::Linear, range);
    }
    const double share = std::min(0.33, (widest + textSize) / std::max(plotWidth, 1.0));
    const double room = range.span() * share / (1.0 - 2.0 * share);
    return {range.low - room, range.high + room};
}

QRectF barBetween(const PlotFrame& frame, double base, double value, const QRectF& rows) {
    const double from = frame.xOf(base);
    const double to = frame.xOf(value);
    return {std::min(from, to), rows.top(), std::abs(to - from), rows.height()};
}

TornadoPlace tornadoPlace(const TornadoValues& values,
                          const PlotFrame& frame,
                          const QRectF& band,
                          std::size_t index) {
    const TornadoRow& row = values.rows[index];
    const double high = highOf(values, row);
    const QRectF thick = band.adjusted(0.0, band.height() * 0.17, 0.0, -band.height() * 0.17);
    QRectF upper = thick;
    QRectF lower = thick;
    // Both on the same side: one above the other.
    if ((row.low - values.base) * (high - values.base) > 0.0) {
        upper.setHeight(thick.height() / 2);
        lower.setTop(thick.center().y());
    }
    return {.row = index,
            .band = QRectF(0.0, band.top(), band.right(), band.height()),
            .low = barBetween(frame, values.base, row.low, upper),
            .high = barBetween(frame, values.base, high, lower)};
}

}  // namespace

FrameParts tornadoFrameParts(const TornadoValues& values,
                             const QSizeF& size,
                             const ChartTheme& theme) {
    FrameParts parts{.title = values.title, .x = values.axis};
    std::vector<std::string> names;
    for (const TornadoRow& row : values.rows) {
        names.push_back(row.label);
    }
    for (const auto& [name, series] :
         {std::pair(&values.lowName, std::size_t{1}), {&values.highName, std::size_t{0}}}) {
        if (!name->empty()) {
            parts.legend.push_back({.name = *name, .filling = theme.seriesFilling(series)});
        }
    }
    parts.leftNames = nameColumnWidth(names, size.width(), theme.textSize);
    return parts;
}

TornadoLayout tornadoLayout(const TornadoValues& values,
                            const QSizeF& size,
                            const ChartTheme& theme) {
    const FrameParts parts = tornadoFrameParts(values, size, theme);
    const double plotWidth = size.width() - parts.leftNames - 2.4 * theme.textSize;
    TornadoLayout layout{
        .frame = plotFrame(
            parts, tornadoRange(values, plotWidth, theme.textSize), {}, size, theme.textSize)};
    layout.baseX = layout.frame.xOf(values.base);
    const std::vector<std::size_t> order = longestFirst(values);
    const std::vector<QRectF> bands = equalRows(layout.frame.plot, order.size());
    for (std::size_t line = 0; line < order.size(); ++line) {
        layout.rows.push_back(tornadoPlace(values, layout.frame, bands[line], order[line]));
    }
    return layout;
}

int tornadoRowAt(const TornadoLayout& layout, const QPointF& place) {
    const auto row = std::ranges::find_if(
        layout.rows, [&](const TornadoPlace& each) { return each.band.contains(place); });
    return row == layout.rows.end() ? -1 : static_cast<int>(row - layout.rows.begin());
}

std::string tornadoEndText(const TornadoValues& values, const TornadoRow& row, TornadoEnd end) {
    const bool low = end == TornadoEnd::Low;
    const std::optional<double> value = low ? row.low : row.high;
    return value ? (low ? row.lowLabel : row.highLabel) + ": " + valueText(values.axis.unit, *value)
                 : "";
}

std::string tornadoRowText(const TornadoValues& values, std::size_t row) {
    const TornadoRow& each = values.rows[row];
    std::string text = each.label;
    for (const std::string& end : endTexts(values, each)) {
        text += "\n" + end;
    }
    return text + "\nnow: " + valueText(values.axis.unit, values.base);
}

std::string describeTornado(const TornadoValues& values) {
    std::string text = titleIntro(values.title) + values.axis.title + " is " +
                       valueText(values.axis.unit, values.base) + " now.";
    for (const std::size_t row : longestFirst(values)) {
        const TornadoRow& each = values.rows[row];
        text += " " + each.label;
        for (const std::string& end : endTexts(values, each)) {
            text += ", " + end;
        }
        text += ".";
    }
    return text;
}

Table tornadoTable(const TornadoValues& values) {
    Table table{{{"what"},
                 {"first change"},
                 {exactCaption(values.axis.title, values.axis.unit), Align::Right},
                 {"second change"},
                 {exactCaption(values.axis.title, values.axis.unit), Align::Right},
                 {exactCaption("now", values.axis.unit), Align::Right}},
                {}};
    for (const TornadoRow& row : values.rows) {
        table.rows.push_back({row.label,
                              row.lowLabel,
                              exactNumber(row.low),
                              row.high ? row.highLabel : "",
                              row.high ? exactNumber(*row.high) : "",
                              exactNumber(values.base)});
    }
    return table;
}

}  // namespace fabricast
