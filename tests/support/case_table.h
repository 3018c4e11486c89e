#pragma once
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace fabricast {

/// One row of a table in tests/cases; a cell is found by the name of its column.
///     for (const CaseRow& row : readCases("stack_verdicts.csv")) { row.at("stack"); }
using CaseRow = std::map<std::string, std::string>;

/// Splits one CSV line; a cell in double quotes may hold commas and doubled quotes.
inline std::vector<std::string> splitCells(const std::string& line) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '"' && quoted && at + 1 < line.size() && line[at + 1] == '"') {
            cells.back() += line[++at];
        } else if (line[at] == '"') {
            quoted = !quoted;
        } else if (line[at] == ',' && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += line[at];
        }
    }
    return cells;
}

/// Rows of tests/cases/<name>: the first line names the columns, lines that start with # are notes.
inline std::vector<CaseRow> readCases(const std::string& name) {
    const std::string path = FABRICAST_SOURCE_DIR "/tests/cases/" + name;
    std::ifstream file(path);
    if (!file) {
        throw std::runtime_error("cannot read " + path);
    }
    std::vector<std::string> columns;
    std::vector<CaseRow> rows;
    for (std::string line; std::getline(file, line);) {
        if (line.empty() || line.front() == '#') {
            continue;
        }
        const std::vector<std::string> cells = splitCells(line);
        if (columns.empty()) {
            columns = cells;
            continue;
        }
        if (cells.size() != columns.size()) {
            throw std::runtime_error(name + " has a row of other columns: " + line);
        }
        CaseRow& row = rows.emplace_back();
        for (std::size_t column = 0; column < columns.size(); ++column) {
            row[columns[column]] = cells[column];
        }
    }
    return rows;
}

/// "tp=8 pp=4 sp" as {tp: 8, pp: 4, sp: ""}.
inline std::map<std::string, std::string> splitPairs(const std::string& text) {
    std::map<std::string, std::string> pairs;
    std::istringstream words(text);
    for (std::string word; words >> word;) {
        const std::size_t equals = word.find('=');
        pairs[word.substr(0, equals)] = equals == std::string::npos ? "" : word.substr(equals + 1);
    }
    return pairs;
}

}  // namespace fabricast
