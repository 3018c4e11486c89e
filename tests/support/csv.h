#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A comma-separated table with a header line, for test cases; quotes are supported.
class CsvTable {
public:
    static CsvTable read(const std::string& path);
    static CsvTable parse(std::string_view text);

    [[nodiscard]] std::size_t rows() const { return cells_.size(); }
    [[nodiscard]] bool has(std::string_view column) const;
    /// The cell, or an empty string where the column is missing.
    [[nodiscard]] std::string text(std::size_t row, std::string_view column) const;
    [[nodiscard]] std::int64_t integer(std::size_t row,
                                       std::string_view column,
                                       std::int64_t otherwise = 0) const;
    [[nodiscard]] double number(std::size_t row,
                                std::string_view column,
                                double otherwise = 0) const;
    [[nodiscard]] bool opened() const { return opened_; }

private:
    std::vector<std::string> header_;
    std::vector<std::vector<std::string>> cells_;
    bool opened_ = false;
};

}  // namespace fabricast
