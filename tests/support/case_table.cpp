#include "tests/support/case_table.h"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace fabricast {

namespace {

template <typename Number>
Number numberIn(const std::string& cell, Number otherwise) {
    Number value = otherwise;
    std::from_chars(cell.data(), cell.data() + cell.size(), value);
    return value;
}

/// The lines of a file but for its notes, which leave empty lines: errors still name the line.
std::string linesWithoutNotes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    std::string text;
    for (std::string line; std::getline(file, line);) {
        text += (line.starts_with('#') ? "" : line) + "\n";
    }
    return text;
}

}  // namespace

CsvTable CsvTable::read(const std::string& path) {
    Result<CsvText> csv = parseCsv(linesWithoutNotes(path), path);
    if (!csv) {
        throw std::runtime_error(csv.error().text());
    }
    return CsvTable(*std::move(csv));
}

std::string CsvTable::text(std::size_t row, std::string_view column) const {
    return std::string(csv_.cell(csv_.rows.at(row), column));
}

std::int64_t CsvTable::integer(std::size_t row,
                               std::string_view column,
                               std::int64_t otherwise) const {
    return numberIn(text(row, column), otherwise);
}

double CsvTable::number(std::size_t row, std::string_view column, double otherwise) const {
    return numberIn(text(row, column), otherwise);
}

std::map<std::string, std::string> CsvTable::cells(std::size_t row) const {
    std::map<std::string, std::string> found;
    for (const auto& [column, place] : csv_.columns) {
        found[column] = csv_.rows.at(row).cells[place];
    }
    return found;
}

std::vector<CaseRow> readCases(const std::string& name) {
    const CsvTable table = CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/" + name);
    std::vector<CaseRow> rows;
    for (std::size_t row = 0; row < table.rows(); ++row) {
        rows.push_back(table.cells(row));
    }
    return rows;
}

std::map<std::string, std::string> splitPairs(const std::string& text) {
    std::map<std::string, std::string> pairs;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        pairs[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    return pairs;
}

}  // namespace fabricast
