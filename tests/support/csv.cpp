#include "tests/support/csv.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>

namespace fabricast {

namespace {

std::vector<std::string> splitLine(std::string_view line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < line.size(); ++i) {
        const char c = line[i];
        if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"') {
            cells.back() += '"';
            ++i;
        } else if (c == '"') {
            quoted = !quoted;
        } else if (c == ',' && !quoted) {
            cells.emplace_back();
        } else if (c != '\r') {
            cells.back() += c;
        }
    }
    return cells;
}

}  // namespace

CsvTable CsvTable::read(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    CsvTable table = parse(text.str());
    table.opened_ = file.good() || file.eof();
    return table;
}

CsvTable CsvTable::parse(std::string_view text) {
    CsvTable table;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line.empty()) {
            continue;
        }
        if (table.header_.empty()) {
            table.header_ = splitLine(line);
        } else {
            table.cells_.push_back(splitLine(line));
        }
    }
    table.opened_ = true;
    return table;
}

bool CsvTable::has(std::string_view column) const {
    return std::find(header_.begin(), header_.end(), column) != header_.end();
}

std::string CsvTable::text(std::size_t row, std::string_view column) const {
    const auto found = std::find(header_.begin(), header_.end(), column);
    const auto index = static_cast<std::size_t>(found - header_.begin());
    const auto& cells = cells_.at(row);
    return found == header_.end() || index >= cells.size() ? std::string{} : cells[index];
}

std::int64_t CsvTable::integer(std::size_t row,
                               std::string_view column,
                               std::int64_t otherwise) const {
    const std::string cell = text(row, column);
    std::int64_t value = otherwise;
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return value;
}

double CsvTable::number(std::size_t row, std::string_view column, double otherwise) const {
    const std::string cell = text(row, column);
    double value = otherwise;
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return value;
}

}  // namespace fabricast
