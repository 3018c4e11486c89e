#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// One row of a table, with the names of its columns and where it stands.
class CsvRow {
public:
    CsvRow(const std::vector<std::string>& columns,
           std::vector<std::string> cells,
           std::string where)
        : columns_(&columns), cells_(std::move(cells)), where_(std::move(where)) {}

    [[nodiscard]] const std::string& where() const { return where_; }
    /// Empty where there is no such column.
    [[nodiscard]] std::string_view text(std::string_view column) const;
    [[nodiscard]] Result<std::int64_t> count(std::string_view column) const;
    /// Above 0 and finite.
    [[nodiscard]] Result<double> positive(std::string_view column) const;

private:
    const std::vector<std::string>* columns_;
    std::vector<std::string> cells_;
    std::string where_;
};

/// A comma-separated table without quotes: a line of columns, then rows; lines that begin with "#"
/// are notes.
struct CsvRows {
    std::vector<std::string> columns;
    std::vector<std::vector<std::string>> cells;
    std::vector<std::int64_t> lines;
    std::string source;

    [[nodiscard]] bool has(std::string_view column) const;
    [[nodiscard]] CsvRow row(std::size_t index) const;
};

Result<CsvRows> readCsvRows(std::string_view text, const std::string& source);

}  // namespace fabricast
