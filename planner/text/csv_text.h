#pragma once
#include "planner/base/result.h"

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A table of comma-separated values with a header line (RFC 4180: quotes, and line ends inside
/// them).
///     FABRICAST_ASSIGN(const CsvText runs, parseCsv(text, "runs.csv"));
///     runs.cell(row, "gpus")
struct CsvText {
    std::string source;  ///< the file, as errors name it
    std::map<std::string, std::size_t, std::less<>> columns;
    struct Row {
        std::size_t line = 0;
        std::vector<std::string> cells;
    };
    std::vector<Row> rows;

    [[nodiscard]] bool has(std::string_view column) const { return columns.count(column) > 0; }
    /// Empty where the column is missing.
    [[nodiscard]] std::string_view cell(const Row& row, std::string_view column) const;
    /// "runs.csv:17, column gpus".
    [[nodiscard]] std::string where(const Row& row, std::string_view column) const;
};

/// Every row must have as many cells as the header; names of columns must differ.
Result<CsvText> parseCsv(std::string_view text, const std::string& source);

}  // namespace fabricast
