#pragma once
#include "planner/result/memory_breakdown.h"
#include "study/workbench.h"
#include "tests/programs/real_rows/memory_report.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// What fabricast says of a row's run, as `explain` would.
struct ReportForecast {
    MemoryBreakdown memory;
    std::vector<std::string> assumed;

    [[nodiscard]] const StageMemory& fullest() const { return memory.stages[memory.fullest]; }
    [[nodiscard]] Bytes notPyTorch() const { return fullest().context + fullest().collectives; }
};
/// "fits", "likely", "unlikely" or "does not fit".
std::string_view likelihoodWord(const MemoryBreakdown& memory);

Result<ReportForecast> forecastReport(const MemoryReport& report, const Workbench& bench);

}  // namespace fabricast
