#pragma once
#include "planner/backtest/published_run.h"
#include "planner/backtest/run_catalog.h"
#include "planner/base/units.h"
#include "planner/estimate/estimate_step.h"
#include "planner/spec/scenario.h"

#include <optional>
#include <string>

namespace fabricast {

/// One row of a backtest: what was forecast for a run, or why nothing was.
struct RunForecast {
    const PublishedRun* run = nullptr;
    std::optional<Scenario> scenario;  ///< if the row has enough for one
    std::optional<StepEstimate> step;
    std::string why;  ///< without a forecast: the column, and the problem

    /// Forecast over measured, less one.
    [[nodiscard]] std::optional<double> stepError() const;
};

/// What a GPU computes in a step by the model's own count: LoRA has no weight gradients of its
/// base.
Result<Flops> modelFlopsPerGpu(const Scenario& scenario);

RunForecast forecastRun(const PublishedRun& run,
                        const RunCatalog& catalog,
                        const TimingProfiles& profiles,
                        const StepModel& model = estimateStep);

}  // namespace fabricast
