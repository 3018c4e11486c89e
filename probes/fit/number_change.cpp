#include "probes/fit/number_change.h"

#include "planner/base/median.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <utility>

namespace fabricast {
namespace {

using Row = std::array<std::string, 5>;

std::string percentOfShare(double share) {
    if (share < 0.0) {
        return "";
    }
    std::array<char, 32> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.1f %%", 100 * share);
    return {text.data(), static_cast<std::size_t>(std::max(length, 0))};
}

std::string lineOf(const Row& row, const std::array<std::size_t, 5>& widths) {
    // Counts and shares end under one another.
    constexpr std::array kRight = {false, true, true, false, false};
    std::string line = " ";
    for (std::size_t at = 0; at < row.size(); ++at) {
        const std::string gap(widths[at] - row[at].size(), ' ');
        line += (at == 0 ? " " : "  ") + (kRight[at] ? gap + row[at] : row[at] + gap);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + "\n";
}

}  // namespace

std::string changeTable(const std::vector<NumberChange>& changes) {
    std::vector<Row> rows = {{"number", "points", "spread", "before", "now"}};
    for (const NumberChange& change : changes) {
        rows.push_back({change.name,
                        change.points == 0 ? "" : std::to_string(change.points),
                        percentOfShare(change.spread),
                        change.before,
                        change.now});
    }
    std::array<std::size_t, 5> widths{};
    for (const Row& row : rows) {
        for (std::size_t at = 0; at < row.size(); ++at) {
            widths[at] = std::max(widths[at], row[at].size());
        }
    }
    std::string text;
    for (const Row& row : rows) {
        text += lineOf(row, widths);
    }
    return text;
}

std::string changeSentence(const std::vector<NumberChange>& changes) {
    constexpr std::size_t kWidth = 100;
    std::string text;
    std::size_t begin = 0;
    for (const NumberChange& change : changes) {
        if (change.before == change.now) {
            continue;
        }
        const std::string part = change.name + " " + change.before + " -> " + change.now;
        if (text.size() - begin + part.size() + 2 > kWidth) {
            text += ",\n";
            begin = text.size();
            text += "  " + part;
        } else {
            text += (text.empty() ? "  " : ", ") + part;
        }
    }
    return text.empty() ? "  as before\n" : text + "\n";
}

std::string shortNumber(double value) {
    std::array<char, 32> text{};
    const int length = std::snprintf(text.data(), text.size(), "%.3g", value);
    return {text.data(), static_cast<std::size_t>(std::max(length, 0))};
}

MiddleValue middleOf(std::vector<double> values) {
    if (values.empty()) {
        return {};
    }
    MiddleValue found{.value = median(values)};
    for (double& value : values) {
        value = std::abs(value / found.value - 1);
    }
    found.spread = median(std::move(values));
    return found;
}

}  // namespace fabricast
