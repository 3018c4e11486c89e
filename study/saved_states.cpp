#include "study/saved_states.h"

#include "planner/budget/goodput.h"
#include "planner/load/load_question.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// At least one, and no more than any run has.
std::int64_t stepsIn(Seconds interval, Seconds step) {
    constexpr double kMostSteps = 999'999'999.0;
    return static_cast<std::int64_t>(std::clamp(std::round(interval / step), 1.0, kMostSteps));
}

CheckpointMode modeOf(Saving saving) {
    return saving == Saving::Waits          ? CheckpointMode::Sync
           : saving == Saving::InBackground ? CheckpointMode::Async
                                            : CheckpointMode::TwoLevel;
}

/// Makes a question of what the files can do, and tells what that leaves out. An interval between
/// copies in memory is none of storage.
std::string limitSaving(BudgetFacts& facts, Saving most) {
    const CheckpointMode asked = facts.checkpoint;
    facts.checkpoint = std::min(asked, modeOf(most));
    if (asked == facts.checkpoint) {
        return "";
    }
    if (asked == CheckpointMode::TwoLevel) {
        facts.interval.reset();
        facts.intervalSteps.reset();
    }
    return "operation.checkpoint=" + std::string(nameOf(asked)) + ": saved as " +
           std::string(nameOf(facts.checkpoint)) +
           (facts.checkpoint == CheckpointMode::Sync ? " has it, where the run waits for storage"
                                                     : " has it, to storage alone");
}

}  // namespace

Result<std::optional<SavedStates>> savedStates(const Question& question,
                                               const Explanation& forecast,
                                               Saving most,
                                               const Workbench& bench) {
    if (!says(question, "operation.checkpoint") &&
        !says(question, "operation.checkpoint_interval")) {
        return std::optional<SavedStates>();
    }
    FABRICAST_ASSIGN(BudgetFacts facts,
                     loadBudget(question.root, bench.profiles(), question.folders));
    const std::string untold = limitSaving(facts, most);
    const bool inBackground = facts.checkpoint != CheckpointMode::Sync;
    if (facts.intervalSteps && facts.checkpoint != CheckpointMode::TwoLevel) {
        return std::optional(SavedStates{
            .inBackground = inBackground, .steps = *facts.intervalSteps, .untold = untold});
    }
    if (!forecast.step) {
        return fail(Error::Code::Unsupported,
                    "operation.checkpoint_interval",
                    "no step time is forecast for this plan, which the interval follows from",
                    "--checkpoint async --checkpoint-interval '500 steps'");
    }
    const Scenario& scenario = forecast.scenario;
    const Seconds step = forecast.step->step.value;
    const Goodput goodput = goodputOf(
        {.gpus = scenario.cluster.gpus(), .checkpoint = checkpointBytes(scenario), .step = step},
        scenario.cluster,
        facts);
    const Seconds stored = goodput.cycles[goodput.count - 1].interval;
    if (std::isinf(stored.count())) {
        return std::optional<SavedStates>();
    }
    SavedStates saved{
        .inBackground = inBackground, .steps = stepsIn(stored, step), .untold = untold};
    if (facts.checkpoint == CheckpointMode::TwoLevel) {
        saved.heldSteps = stepsIn(goodput.cycles[0].interval, step);
    }
    return std::optional(saved);
}

}  // namespace fabricast
