#pragma once
#include "planner/result/memory_breakdown.h"
#include "study/workbench.h"
#include "tests/programs/real_rows/memory_report.h"

#include <string>
#include <vector>

namespace fabricast {

/// What fabricast says of a row's run, as `explain` would.
struct ReportForecast {
    MemoryBreakdown memory;
    std::vector<std::string> assumed;

    [[nodiscard]] const StageMemory& fullest() const { return memory.stages[memory.fullest]; }
    [[nodiscard]] Bytes notPyTorch() const { return fullest().context + fullest().collectives; }
};
Result<ReportForecast> forecastReport(const MemoryReport& report, const Workbench& bench);

}  // namespace fabricast
