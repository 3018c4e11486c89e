#pragma once
#include "planner/base/result.h"
#include "planner/text/csv_text.h"
#include "study/question.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A row of a table of memory reports: what the owner of a run wrote of it, in the owner's words.
/// The columns are listed in tests/cases/memory/real/README.md; empty cells were not said.
class MemoryReport {
public:
    MemoryReport(const CsvText& table, const CsvText::Row& row) : table_(&table), row_(&row) {}

    /// In small letters.
    [[nodiscard]] std::string words(std::string_view column) const;
    [[nodiscard]] std::string text(std::string_view column) const {
        return std::string(table_->cell(*row_, column));
    }
    [[nodiscard]] bool says(std::string_view column, std::string_view part) const {
        return words(column).find(part) != std::string::npos;
    }
    /// Empty where the cell is; an error where it is no number.
    [[nodiscard]] Result<std::optional<double>> number(std::string_view column) const;
    /// A cell that the forecast cannot do without.
    [[nodiscard]] Result<double> needed(std::string_view column) const;
    /// False where a message's own figures show that the failure was not for want of memory: much
    /// of the GPU was free, or other processes held it.
    [[nodiscard]] Result<bool> fillsItsGpu() const;
    /// The number behind "rank" or "stage" of what the row is of: "rank6", "rank2 (stage 0)".
    [[nodiscard]] std::optional<std::int64_t> ofRank(std::string_view word) const;
    [[nodiscard]] bool ran() const { return words("outcome") == "ran"; }

private:
    const CsvText* table_;
    const CsvText::Row* row_;
};

/// The run as a question, and what its row leaves open. An error names the cell that says too
/// little, or what of the run is not modelled.
struct ReportQuestion {
    Question question;
    std::vector<std::string> assumed;
    /// Empty cells that were asked with the least there can be: a forecast that does not fit holds,
    /// any other says nothing.
    std::vector<std::string> silent;
};
Result<ReportQuestion> questionOf(const MemoryReport& report);

/// The GPU's profile, by its name and the size of its memory.
struct NamedGpu {
    std::string profile;
    bool anyOfItsSize = false;  ///< the row gives the size alone
};
Result<NamedGpu> gpuOf(const MemoryReport& report);
/// The model's name as fabricast knows it.
Result<std::string> modelOf(const MemoryReport& report);
/// The training software that is the row's, or stands in its place.
Result<std::string> stackOf(const MemoryReport& report);

}  // namespace fabricast
