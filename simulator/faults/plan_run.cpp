#include "simulator/faults/plan_run.h"

#include "planner/budget/goodput.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace fabricast {
namespace {

const Seconds kNever(std::numeric_limits<double>::infinity());

/// Whole steps next to an interval, and no fewer than last `least`.
std::int64_t stepsOf(Seconds interval, Seconds least, const RunRequest& request) {
    const double wanted = std::round(interval / request.step);
    const double needed = std::ceil(least / request.step);
    const double most = static_cast<double>(request.steps);
    return static_cast<std::int64_t>(std::clamp(std::max(wanted, needed), 1.0, most));
}

RunSaving savingOf(const Goodput& goodput, CheckpointMode mode, const RunRequest& request) {
    const CheckpointCycle& cycle = goodput.cycles[0];
    if (std::isinf(cycle.interval.count())) {
        return {.every = request.steps};
    }
    if (mode == CheckpointMode::Sync) {
        return {.every = stepsOf(cycle.interval, Seconds(), request), .blocking = cycle.blocking};
    }
    RunSaving saving{
        .blocking = cycle.blocking, .lag = goodput.write, .inMemory = goodput.count == 2};
    const Seconds least = saving.inMemory ? Seconds() : goodput.write;
    saving.every = stepsOf(cycle.interval, least, request);
    if (saving.inMemory) {
        // Storage takes what memory holds: each n-th of its copies.
        const std::int64_t stored =
            stepsOf(goodput.cycles[1].interval, goodput.write, request) + saving.every - 1;
        saving.storedEvery = std::max<std::int64_t>(1, stored / saving.every);
    }
    return saving;
}

Result<void> checkRequest(const RunRequest& request) {
    if (request.steps < 1) {
        return fail(Error::Code::BadInput, "--steps", "a run has at least one step");
    }
    if (!(request.step > Seconds()) || std::isinf(request.step.count())) {
        return fail(Error::Code::BadInput, "--steps", "the step time must be positive and finite");
    }
    if (!request.failures && (request.spares || request.repair)) {
        return fail(Error::Code::BadInput,
                    request.spares ? "--spares" : "--repair",
                    "the run has no failures",
                    "--failures");
    }
    if (request.spares.value_or(0) < 0) {
        return fail(Error::Code::BadInput, "--spares", "must be 0 or more");
    }
    return {};
}

}  // namespace

Result<RunPlan> planRun(const Scenario& scenario,
                        const BudgetFacts& facts,
                        const RunRequest& request) {
    FABRICAST_TRY(checkRequest(request));
    BudgetFacts asked = facts;
    if (!request.failures) {
        asked.gpuMtbf = kNever;
    }
    const Goodput goodput =
        goodputOf({scenario.layout.world(), checkpointBytes(scenario), request.step},
                  scenario.cluster,
                  asked);
    const Reliability& site = facts.site.reliability;
    RunPlan plan{.steps = request.steps, .step = request.step};
    plan.saving = savingOf(goodput, facts.checkpoint, request);
    plan.failures = {.mtbf = goodput.mtbf,
                     .oneHostShare = site.oneHostShare.value.value_or(0.0),
                     .hardwareShare = site.hardwareShare.value.value_or(0.0),
                     .detection = site.detection.value.value_or(Seconds()),
                     .restart = site.restart.value.value_or(Seconds()),
                     .load = goodput.write,
                     .repair = request.repair.value_or(site.repair.value.value_or(Seconds())),
                     .spares = request.spares};
    return plan;
}

}  // namespace fabricast
