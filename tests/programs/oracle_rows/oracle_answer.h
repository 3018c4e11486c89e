#pragma once
#include "planner/result/memory_breakdown.h"
#include "tests/programs/oracle_rows/oracle_row.h"
#include "tests/support/case_table.h"

#include <string>
#include <vector>

namespace fabricast {

/// The product's answer to one recorded step.
struct OracleAnswer {
    std::string status = "ok";  ///< or "refused", with the reason
    std::string why;
    StageMemory memory;
    bool layerOnly = false;
};

using RowReader = Result<OracleRow> (*)(const CsvTable&, std::size_t);
/// The form of a file follows from its columns; nullptr: unknown.
RowReader readerFor(const CsvTable& table);
/// A record, on the device that all of them ran on.
Result<OracleRow> recordedRow(const CsvTable& table, std::size_t row, RowReader reader);
OracleAnswer answerRecord(const CsvTable& table, std::size_t row, RowReader reader);

/// The column with a layer's saved bytes (where only its growth is recorded, that); empty: none.
std::string savedColumn(const CsvTable& table);

/// How a whole file went.
struct RecordScore {
    std::size_t rows = 0;
    std::size_t refused = 0;
    double meanError = 0;  ///< of the peak requested
    double worstError = 0;
    std::size_t worstRow = 0;
    double worstAllocated = 0;  ///< error of the peak allocated
    std::size_t worstAllocatedRow = 0;
    std::int64_t worstSavedBytes = 0;  ///< furthest off of the saved bytes of a layer
    std::size_t worstSavedRow = 0;
    std::size_t reservedRows = 0;
    std::size_t reservedInside = 0;
};
RecordScore scoreRecords(const CsvTable& table);

}  // namespace fabricast
