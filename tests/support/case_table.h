#pragma once
#include "planner/text/csv_text.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A table of test cases: comma-separated values with a header line. Lines that start with # are
/// notes. What cannot be read throws, so that a test of its rows fails.
///     const CsvTable table = CsvTable::read(FABRICAST_SOURCE_DIR "/tests/cases/runs.csv");
class CsvTable {
public:
    static CsvTable read(const std::string& path);

    [[nodiscard]] std::size_t rows() const { return csv_.rows.size(); }
    [[nodiscard]] bool has(std::string_view column) const { return csv_.has(column); }
    /// The cell, or an empty string where the column is missing.
    [[nodiscard]] std::string text(std::size_t row, std::string_view column) const;
    [[nodiscard]] std::int64_t integer(std::size_t row,
                                       std::string_view column,
                                       std::int64_t otherwise = 0) const;
    [[nodiscard]] double number(std::size_t row,
                                std::string_view column,
                                double otherwise = 0) const;
    /// The cells of a row by the names of their columns.
    [[nodiscard]] std::map<std::string, std::string> cells(std::size_t row) const;

private:
    explicit CsvTable(CsvText csv) : csv_(std::move(csv)) {}

    CsvText csv_;
};

/// One row of a table in tests/cases; a cell is found by the name of its column.
///     for (const CaseRow& row : readCases("stack_verdicts.csv")) { row.at("stack"); }
using CaseRow = std::map<std::string, std::string>;
std::vector<CaseRow> readCases(const std::string& name);

/// "tp=8 pp=4 sp" as {tp: 8, pp: 4, sp: ""}.
std::map<std::string, std::string> splitPairs(const std::string& text);

}  // namespace fabricast
