#include "planner/backtest/backtest_runs.h"

#include "planner/backtest/forecast_run.h"
#include "planner/backtest/run_readings.h"
#include "planner/base/parallel_map.h"
#include "planner/base/quantity_text.h"
#include "planner/estimate/estimate_step.h"
#include "planner/memory/stage_memory.h"
#include "planner/result/memory_names.h"

#include <atomic>
#include <cmath>
#include <string>
#include <utility>

namespace fabricast {

namespace {

constexpr double kGiB = 1024.0 * 1024.0 * 1024.0;

std::string countText(const std::optional<std::int64_t>& count) {
    return count ? std::to_string(*count) : "?";
}

std::string joined(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) {
        text += part + "|";
    }
    return text;
}

std::string sweepOf(const PublishedRun& run) {
    return joined({run.source(),
                   run.model,
                   run.gpu,
                   countText(run.gpus),
                   countText(run.globalBatch),
                   countText(run.sequence)});
}

std::string workOf(const PublishedRun& run) {
    return joined(
        {run.source(), run.model, countText(run.layers), run.gpu, countText(run.gpus), run.stack});
}

std::string splitOf(const PublishedRun& run) {
    return joined({countText(run.tp), countText(run.pp), countText(run.cp), countText(run.ep)});
}

std::string layoutText(const PublishedRun& run) {
    std::vector<std::string> parts = {run.shard, run.sp, run.cpKind, run.recompute, run.precision};
    for (const auto& count :
         {run.dp, run.tp, run.pp, run.vpp, run.cp, run.ep, run.etp, run.microBatch}) {
        parts.push_back(countText(count));
    }
    return joined(parts);
}

/// A data sheet's GB are often GiB: a GPU of 80 GB has 79.6 GiB.
double mostGib(Bytes onSheet) {
    return static_cast<double>(onSheet.count()) / 1e9;
}

void addMemory(const RunForecast& forecast, BacktestRow& row) {
    row.memoryReading = memoryReading(*forecast.run);
    if (!forecast.scenario) {
        row.memoryWhy = forecast.why;
        return;
    }
    const Result<MemoryBreakdown> memory = memoryOfAllStages(*forecast.scenario);
    if (!memory) {
        row.memoryWhy = memory.error().text();
        return;
    }
    row.memoryWhy = unknownMemory(*forecast.run);
    if (row.memoryWhy.empty()) {
        row.verdict = memory->verdict;
    }
    const GpuSpec& gpu = forecast.scenario->cluster.node.gpu;
    if (gpu.memory.value && row.measuredGib.value_or(0.0) > mostGib(*gpu.memory.value)) {
        row.memoryWhy = "measured_mem_gib: more than the " +
                        shortText(*gpu.memory.value, UnitStyle::Decimal) + " that " + gpu.name +
                        " has";
    }
    if (row.memoryWhy.empty()) {
        const StageMemory& fullest = memory->stages[memory->fullest];
        const Bytes bytes = forecastReading(fullest, row.memoryReading);
        row.predictedGib = static_cast<double>(bytes.count()) / kGiB;
    }
}

void addStep(const RunForecast& forecast, BacktestRow& row) {
    row.why = forecast.why;
    if (!forecast.step) {
        return;
    }
    const double seconds = forecast.step->step.value.count();
    if (!std::isfinite(seconds) || seconds <= 0) {
        row.why = "step: the forecast is not finite";
        return;
    }
    row.predictedStep = seconds;
    row.evidence = evidenceClass(*forecast.scenario);
    if (const Seconds hi = forecast.step->step.hi; hi.count() > 0) {
        row.lo = forecast.step->step.lo.count();
        row.hi = hi.count();
    }
    if (const Result<Flops> flops = modelFlopsPerGpu(*forecast.scenario)) {
        row.modelFlops = flops->count();
    }
}

BacktestRow rowOf(const PublishedRun& run,
                  const RunCatalog& catalog,
                  const TimingProfiles& profiles,
                  const StepModel& model) {
    const RunForecast forecast = forecastRun(run, catalog, profiles, model);
    BacktestRow row{.id = run.id,
                    .source = run.source(),
                    .gpu = run.gpu,
                    .stack = run.stack,
                    .sweep = sweepOf(run),
                    .work = workOf(run),
                    .split = splitOf(run),
                    .samples = static_cast<double>(run.globalBatch.value_or(0)),
                    .layout = layoutText(run)};
    row.measuredStep = run.measuredStep();
    if (run.memoryGib.value_or(0.0) > 0) {
        row.measuredGib = run.memoryGib;
    }
    row.saysMemory = !run.precision.empty() && !run.recompute.empty();
    addStep(forecast, row);
    addMemory(forecast, row);
    return row;
}

}  // namespace

std::vector<BacktestRow> backtestRows(const std::vector<PublishedRun>& runs,
                                      const RunCatalog& catalog,
                                      const TimingProfiles& profiles,
                                      const BacktestOptions& options) {
    std::atomic<std::size_t> done = 0;
    auto rows = parallelMap(runs,
                            [&](const PublishedRun& run) {
                                BacktestRow row = rowOf(run, catalog, profiles, options.model);
                                row.counted = options.everyRow || run.counts;
                                row.ranked = options.everyRow || run.known;
                                const std::size_t count = ++done;
                                if (options.progress) {
                                    options.progress(count, runs.size());
                                }
                                return row;
                            },
                            {.threads = options.threads, .stop = options.stop});
    std::vector<BacktestRow> answer = rows ? *std::move(rows) : std::vector<BacktestRow>();
    addConstantRate(answer);
    return answer;
}

}  // namespace fabricast
