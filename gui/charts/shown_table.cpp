#include "gui/charts/shown_table.h"

#include "planner/report/plain_number.h"
#include "planner/report/scales.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

constexpr int kShownDigits = 6;
constexpr int kShareDigits = 3;

std::optional<double> wholeNumber(const std::string& cell) {
    double number = 0.0;
    const char* const end = cell.data() + cell.size();
    const auto [stop, trouble] = std::from_chars(cell.data(), end, number);
    return !cell.empty() && trouble == std::errc() && stop == end ? std::optional(number)
                                                                  : std::nullopt;
}

/// True where it ended so, which it does in another way then.
bool changeUnit(std::string& title, std::string_view from, std::string_view to) {
    const std::string end = " (" + std::string(from) + ")";
    if (!title.ends_with(end)) {
        return false;
    }
    title.replace(title.size() - end.size(), end.size(), " (" + std::string(to) + ")");
    return true;
}

template <class Text>
void rewrite(Table& table, std::size_t column, const Text& text) {
    for (std::vector<std::string>& row : table.rows) {
        if (const std::optional<double> number = wholeNumber(row[column])) {
            row[column] = text(*number);
        }
    }
}

double largestOf(const Table& table, std::size_t column) {
    double largest = 0.0;
    for (const std::vector<std::string>& row : table.rows) {
        largest = std::max(largest, std::abs(wholeNumber(row[column]).value_or(0.0)));
    }
    return largest;
}

}  // namespace

Table shownTable(Table exact) {
    for (std::size_t column = 0; column < exact.columns.size(); ++column) {
        std::string& title = exact.columns[column].title;
        const ByteScale bytes = byteScaleFor(Bytes(std::llround(largestOf(exact, column))));
        constexpr double kGiga = 1e9;
        if (exact.columns[column].align != Align::Right) {
            continue;
        }
        if (changeUnit(title, "B", bytes.unit)) {
            rewrite(exact, column, [&bytes](double size) {
                return bytes.text(Bytes(std::llround(size)));
            });
        } else if (changeUnit(title, "B/s", "GB/s")) {
            rewrite(
                exact, column, [](double rate) { return plainNumber(rate / kGiga, kShareDigits); });
        } else if (changeUnit(title, "1 is 100 %", "%")) {
            rewrite(exact, column, [](double share) {
                return plainNumber(100.0 * share, kShareDigits);
            });
        } else {
            rewrite(exact, column, [](double number) { return plainNumber(number, kShownDigits); });
        }
    }
    return exact;
}

}  // namespace fabricast
