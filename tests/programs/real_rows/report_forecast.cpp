#include "tests/programs/real_rows/report_forecast.h"

#include "planner/load/load_scenario.h"
#include "planner/memory/memory_of_stages.h"

#include <utility>

namespace fabricast {

Result<ReportForecast> forecastReport(const MemoryReport& report, const Workbench& bench) {
    FABRICAST_ASSIGN(ReportQuestion asked, questionOf(report));
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(asked.question.root, bench.profiles(), asked.question.folders));
    FABRICAST_ASSIGN(MemoryBreakdown memory, memoryOfFullestStage(loaded.scenario));
    std::vector<std::string> assumed = std::move(asked.assumed);
    assumed.insert(assumed.end(), loaded.assumed.begin(), loaded.assumed.end());
    return ReportForecast{std::move(memory), std::move(assumed)};
}

}  // namespace fabricast
