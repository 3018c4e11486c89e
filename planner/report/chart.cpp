#include "planner/report/chart.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

std::string cellAt(const std::vector<std::string>& row, std::size_t column) {
    return column < row.size() ? row[column] : std::string();
}

}  // namespace

std::optional<double> numberIn(std::string_view cell) {
    std::string digits;
    for (const char letter : cell) {
        const bool isSign = digits.empty() && (letter == '-' || letter == '+');
        if (isSign || letter == '.' || (letter >= '0' && letter <= '9')) {
            digits += letter;
        } else if (letter != ',' && !(letter == '$' && digits.empty())) {
            break;
        }
    }
    const std::size_t sign = digits.starts_with("+") ? 1 : 0;
    double number = 0.0;
    const auto end = std::from_chars(digits.data() + sign, digits.data() + digits.size(), number);
    return end.ec == std::errc() && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

std::optional<std::size_t> columnOf(const Table& table, std::string_view title) {
    const auto found = std::ranges::find(table.columns, title, &Column::title);
    return found == table.columns.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - table.columns.begin()));
}

BarChart barsOf(const Table& table, std::string_view label, std::string_view value) {
    BarChart chart;
    const std::optional<std::size_t> labels = columnOf(table, label);
    const std::optional<std::size_t> values = columnOf(table, value);
    if (!labels || !values) {
        return chart;
    }
    for (const std::vector<std::string>& row : table.rows) {
        const std::string cell = cellAt(row, *values);
        if (const std::optional<double> number = numberIn(cell)) {
            chart.bars.push_back({.label = cellAt(row, *labels),
                                  .lengths = {{.series = 0, .from = 0.0, .to = *number}},
                                  .text = cell});
        }
    }
    return chart;
}

BarChart stackedBarsOf(const Table& table, std::string_view first, std::string_view end) {
    BarChart chart;
    const std::optional<std::size_t> from = columnOf(table, first);
    const std::optional<std::size_t> to = columnOf(table, end);
    if (!from || !to) {
        return chart;
    }
    for (std::size_t column = *from; column < *to; ++column) {
        chart.series.push_back(table.columns[column].title);
    }
    for (const std::vector<std::string>& row : table.rows) {
        BarChart::Bar bar{.label = table.columns.front().title + " " + cellAt(row, 0),
                          .text = cellAt(row, *to)};
        double sum = 0.0;
        for (std::size_t column = *from; column < *to; ++column) {
            const double part = numberIn(cellAt(row, column)).value_or(0.0);
            bar.lengths.push_back({.series = column - *from, .from = sum, .to = sum + part});
            sum += part;
        }
        chart.bars.push_back(std::move(bar));
    }
    return chart;
}

BarChart waterfallOf(const Table& table, std::string_view sum) {
    BarChart chart{.title = {}, .series = {"total", "more", "less"}};
    const std::optional<std::size_t> sums = columnOf(table, sum);
    if (!sums || table.rows.size() < 2) {
        return chart;
    }
    double before = 0.0;
    for (const std::vector<std::string>& row : table.rows) {
        const double after = numberIn(cellAt(row, *sums)).value_or(before);
        const bool isTotal = &row == &table.rows.front() || &row == &table.rows.back();
        chart.bars.push_back(
            {.label = cellAt(row, 0),
             .lengths = {{.series = isTotal          ? 0U
                                    : after > before ? 1U
                                                     : 2U,
                          .from = isTotal ? 0.0 : before,
                          .to = after}},
             .text = isTotal ? cellAt(row, *sums) : cellAt(row, *sums > 0 ? *sums - 1 : 0)});
        before = after;
    }
    return chart;
}

}  // namespace fabricast
