#include "tests/programs/real_rows/report_forecast.h"

#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"
#include "planner/memory/stage_walks.h"
#include "tests/programs/real_rows/software_of_its_day.h"

#include <algorithm>
#include <utility>

namespace fabricast {

namespace {

/// transformers' trainer_config_finalize.
void fillInBuckets(Scenario& scenario) {
    const std::int64_t hidden = scenario.model.hidden;
    DeepSpeedSettings& deepspeed = scenario.settings.deepspeed;
    deepspeed.reduceBucket = hidden * hidden;
    deepspeed.prefetchBucket = hidden * hidden * 9 / 10;
    deepspeed.persistenceThreshold = 10 * hidden;
}

/// As the row says, or by its rank: Megatron and DeepSpeed number those of a stage together.
std::optional<std::int64_t> stageOf(const MemoryReport& report, const Layout& layout) {
    const std::optional<std::int64_t> rank = report.ofRank("rank");
    const std::optional<std::int64_t> stage = report.ofRank("stage");
    return stage || !rank ? stage : *rank / std::max<std::int64_t>(1, layout.world() / layout.pp);
}

/// A row is of one rank: where it says which, its stage is judged, else the fullest.
Result<MemoryBreakdown> memoryOfRow(const MemoryReport& report, const Scenario& scenario) {
    const std::optional<std::int64_t> stage = stageOf(report, scenario.layout);
    if (!stage || scenario.layout.pp == 1) {
        return memoryOfFullestStage(scenario);
    }
    FABRICAST_ASSIGN(StageWalks walks, walkAllStages(scenario));
    const auto found = std::ranges::find(walks.stages, *stage, &StageMemory::stage);
    if (found != walks.stages.end()) {
        walks.fullest = static_cast<std::size_t>(found - walks.stages.begin());
    }
    return memoryOf(scenario, std::move(walks));
}

}  // namespace

Result<ReportForecast> forecastReport(const MemoryReport& report, const Workbench& bench) {
    FABRICAST_ASSIGN(ReportQuestion asked, questionOf(report));
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(asked.question.root, bench.profiles(), asked.question.folders));
    FABRICAST_ASSIGN(const std::string stack, stackOf(report));
    if (fillsInBuckets(report, stack)) {
        fillInBuckets(loaded.scenario);
    }
    FABRICAST_ASSIGN(MemoryBreakdown memory, memoryOfRow(report, loaded.scenario));
    if (!asked.silent.empty() && memory.verdict != Verdict::DoesNotFit) {
        return tl::unexpected(report.needed(asked.silent.front()).error());
    }
    std::vector<std::string> assumed = std::move(asked.assumed);
    assumed.insert(assumed.end(), loaded.assumed.begin(), loaded.assumed.end());
    return ReportForecast{std::move(memory), std::move(assumed)};
}

}  // namespace fabricast
