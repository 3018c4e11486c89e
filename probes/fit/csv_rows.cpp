#include "probes/fit/csv_rows.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace fabricast {
namespace {

constexpr std::int64_t kMostCounted = 1'000'000'000'000;

std::vector<std::string> split(std::string_view line) {
    std::vector<std::string> cells;
    while (true) {
        const std::size_t comma = line.find(',');
        cells.emplace_back(line.substr(0, comma));
        if (comma == std::string_view::npos) {
            return cells;
        }
        line.remove_prefix(comma + 1);
    }
}

template <class Number>
bool parseWhole(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::string_view CsvRow::text(std::string_view column) const {
    const auto found = std::ranges::find(*columns_, column);
    return found == columns_->end()
               ? std::string_view()
               : std::string_view(cells_[static_cast<std::size_t>(found - columns_->begin())]);
}

Result<std::int64_t> CsvRow::count(std::string_view column) const {
    std::int64_t number = 0;
    const std::string_view cell = text(column);
    if (!parseWhole(cell, number) || number < 0 || number > kMostCounted) {
        return fail(
            Error::Code::BadInput,
            where_,
            "\"" + std::string(column) + "\" is \"" + std::string(cell) + "\", which is no count",
            "write a whole number");
    }
    return number;
}

Result<double> CsvRow::positive(std::string_view column) const {
    double number = 0.0;
    const std::string_view cell = text(column);
    if (!parseWhole(cell, number) || !std::isfinite(number) || !(number > 0)) {
        return fail(Error::Code::BadInput,
                    where_,
                    "\"" + std::string(column) + "\" is \"" + std::string(cell) +
                        "\", which is no measured time or size",
                    "write a number above 0");
    }
    return number;
}

bool CsvRows::has(std::string_view column) const {
    return std::ranges::find(columns, column) != columns.end();
}

CsvRow CsvRows::row(std::size_t index) const {
    return {columns, cells[index], source + ":" + std::to_string(lines[index])};
}

Result<CsvRows> readCsvRows(std::string_view text, const std::string& source) {
    CsvRows rows;
    rows.source = source;
    std::int64_t number = 0;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        ++number;
        if (line.ends_with('\r')) {
            line.remove_suffix(1);
        }
        if (line.empty() || line.front() == '#') {
            continue;
        }
        std::vector<std::string> cells = split(line);
        if (rows.columns.empty()) {
            rows.columns = std::move(cells);
        } else if (cells.size() != rows.columns.size()) {
            return fail(Error::Code::BadInput,
                        source + ":" + std::to_string(number),
                        "has " + std::to_string(cells.size()) + " cells, the first line " +
                            std::to_string(rows.columns.size()));
        } else {
            rows.cells.push_back(std::move(cells));
            rows.lines.push_back(number);
        }
    }
    if (rows.columns.empty()) {
        return fail(Error::Code::BadInput, source, "is empty", "begin with a line of columns");
    }
    return rows;
}

}  // namespace fabricast
