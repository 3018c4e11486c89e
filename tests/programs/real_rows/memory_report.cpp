#include "tests/programs/real_rows/memory_report.h"

#include <cctype>
#include <charconv>
#include <cmath>

namespace fabricast {

std::string MemoryReport::words(std::string_view column) const {
    std::string small(table_->cell(*row_, column));
    for (char& letter : small) {
        letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
    return small;
}

Result<std::optional<double>> MemoryReport::number(std::string_view column) const {
    const std::string_view cell = table_->cell(*row_, column);
    if (cell.empty()) {
        return std::nullopt;
    }
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc{} || end != cell.data() + cell.size() || !std::isfinite(value) ||
        value < 0) {
        return fail(Error::Code::BadInput,
                    table_->where(*row_, column),
                    "'" + std::string(cell) + "' is not a number");
    }
    return value;
}

Result<double> MemoryReport::needed(std::string_view column) const {
    FABRICAST_ASSIGN(const std::optional<double> value, number(column));
    if (!value) {
        return fail(Error::Code::BadInput, table_->where(*row_, column), "the cell is empty");
    }
    return *value;
}

std::optional<std::int64_t> MemoryReport::ofRank(std::string_view word) const {
    const std::string said = words("rank_or_stage");
    const std::size_t at = said.find(word);
    const std::size_t digits =
        at == std::string::npos ? at : said.find_first_not_of(' ', at + word.size());
    std::int64_t number = 0;
    const bool isNumber =
        digits != std::string::npos &&
        std::from_chars(said.data() + digits, said.data() + said.size(), number).ec == std::errc{};
    return isNumber ? std::optional(number) : std::nullopt;
}

Result<bool> MemoryReport::fillsItsGpu() const {
    constexpr double kFull = 0.75;
    FABRICAST_ASSIGN(const std::optional<double> capacity, number("capacity_gib"));
    FABRICAST_ASSIGN(const std::optional<double> allocated, number("allocated_gib"));
    FABRICAST_ASSIGN(const std::optional<double> tried, number("tried_gib"));
    return ran() || !capacity || !allocated || *allocated + tried.value_or(0) > kFull * *capacity;
}

}  // namespace fabricast
