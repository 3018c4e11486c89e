#include "study/simulate.h"

#include "planner/base/expected_work.h"
#include "planner/base/quantity_text.h"
#include "planner/estimate/estimate_step.h"
#include "planner/estimate/run_traits.h"
#include "planner/load/load_question.h"
#include "planner/memory/stage_memory.h"
#include "simulator/faults/jitter_draw.h"
#include "simulator/faults/plan_run.h"
#include "simulator/report/shown_stages.h"
#include "study/idle_settings.h"
#include "study/own_measurements.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <stop_token>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// A step that is asked for with slow GPUs, failed links, jitter, failures.
struct TroubledStep {
    Scenario scenario;
    const TimingProfiles& timing;
    StepDetail detail;  ///< without the slow GPUs
    std::vector<Straggler> stragglers;
    std::vector<std::string> failed;
    std::stop_token stop;
};

/// A quick answer writes a quarter as many ops out, and plays half as many again where GPUs or
/// links are slow or fail.
std::size_t mostOps(const SimulateAsk& ask, const Watch& watch) {
    const bool isAgain = !ask.stragglers.empty() || !ask.failed.empty();
    const std::size_t parts = watch.mayTakeLong ? 1 : (ask.traces ? 4U : 1U) * (isAgain ? 2U : 1U);
    return kMostPassOps / parts;
}

/// As many steps as are asked for, or the tokens need.
Result<std::int64_t> stepsOf(const RunsAsk& ask,
                             const Scenario& scenario,
                             const BudgetFacts& facts) {
    if (ask.steps > 0) {
        return ask.steps;
    }
    if (!facts.length) {
        return fail(Error::Code::BadInput,
                    "--steps",
                    "the length of the run is not given",
                    "--steps 100000, or --tokens 1T");
    }
    const double perStep = static_cast<double>(scenario.workload.globalBatch) *
                           static_cast<double>(scenario.workload.sequence);
    const auto tokens = static_cast<double>(facts.length->tokens(scenario.workload).count());
    const double steps = std::ceil(tokens / perStep);
    constexpr double kMost = 1e12;
    if (steps > kMost) {
        return fail(Error::Code::BadInput,
                    "workload.tokens",
                    "is more than the maximum number of steps",
                    "--steps 100000");
    }
    return static_cast<std::int64_t>(steps);
}

void addTo(StepDetail& detail, const Straggler& slow) {
    if (slow.link.empty()) {
        detail.slow.push_back({slow.stage.value_or(0), slow.factor});
    } else {
        detail.slowLinks.push_back({slow.link, slow.factor});
    }
}

/// How much longer the step takes while the GPU or link that comes and goes is there.
Result<std::optional<SlowSpells>> spellsOf(const Simulation& simulation, const TroubledStep& step) {
    for (const Straggler& gpu : step.stragglers) {
        if (gpu.every) {
            StepDetail detail = simulation.step.detail;
            addTo(detail, gpu);
            FABRICAST_ASSIGN(const SimulatedStep slower,
                             simulateStep(step.scenario, step.timing, detail, step.stop));
            return std::optional(SlowSpells{
                .every = *gpu.every,
                .last = gpu.last,
                .factor = seconds(slower.run.makespan) / seconds(simulation.step.run.makespan)});
        }
    }
    return std::optional<SlowSpells>();
}

/// A rank of each stage tells it, where every rank was simulated.
Result<std::size_t> busiestStage(const TroubledStep& step, const SimulatedStep& simulated) {
    if (!simulated.expanded() || step.stragglers.empty()) {
        return simulated.path.busiest;
    }
    StepDetail classes = step.detail;
    classes.ranks = Ranks::Classes;
    FABRICAST_ASSIGN(const SimulatedStep one,
                     simulateStep(step.scenario, step.timing, classes, step.stop));
    return one.path.busiest;
}

/// The step with the GPUs that are slow all the time, and how long it would take without them.
/// Those without a stage are in the busiest one.
Result<Simulation> simulateTroubled(TroubledStep& step) {
    FABRICAST_ASSIGN(SimulatedStep simulated,
                     simulateStep(step.scenario, step.timing, step.detail, step.stop));
    FABRICAST_ASSIGN(const std::size_t busiest, busiestStage(step, simulated));
    StepDetail slower = step.detail;
    slower.failed = step.failed;
    for (Straggler& gpu : step.stragglers) {
        gpu.stage = gpu.stage.value_or(busiest);
        if (!gpu.every) {
            addTo(slower, gpu);
        }
    }
    std::optional<Seconds> undisturbed;
    if (slower.disturbed()) {
        undisturbed = seconds(simulated.run.makespan);
        FABRICAST_ASSIGN(simulated, simulateStep(step.scenario, step.timing, slower, step.stop));
    }
    FABRICAST_ASSIGN(MemoryBreakdown memory, memoryOfAllStages(step.scenario));
    return Simulation{.scenario = step.scenario,
                      .step = std::move(simulated),
                      .undisturbed = undisturbed,
                      .memory = std::move(memory)};
}

/// By the forecast of the step, before it is simulated.
Result<void> checkRuns(const TroubledStep& step,
                       const BudgetFacts& facts,
                       const RunsAsk& ask,
                       const Watch& watch) {
    const Result<StepEstimate> forecast = estimateStep(step.scenario, step.timing);
    if (watch.mayTakeLong || !forecast) {
        return {};
    }
    RunRequest request{.step = forecast->step.value, .failures = ask.failures};
    FABRICAST_ASSIGN(request.steps, stepsOf(ask, step.scenario, facts));
    request.repair = ask.repair;
    request.spares = ask.spares;
    FABRICAST_ASSIGN(RunPlan plan, planRun(step.scenario, facts, request));
    if (ask.jitter) {
        plan.jitter.emplace_back();  // one draw a step, whatever the groups
    }
    const double seconds = expectedSeconds(plan, ask.runs);
    const std::int64_t quick = quickPart(ask.runs, seconds);
    const bool isOne = expectedSeconds(plan, 1) > kQuickSeconds;
    return checkWork(
        {.where = "--runs",
         .what = std::to_string(ask.runs) + (ask.runs == 1 ? " run of " : " runs of ") +
                 std::to_string(request.steps) + " steps",
         .seconds = seconds,
         .less = isOne ? "fewer --steps" : "--runs " + std::to_string(quick)},
        watch);
}

Result<RunAnswer> simulateRuns(const Simulation& simulation,
                               const TroubledStep& step,
                               const BudgetFacts& facts,
                               const RunsAsk& ask,
                               const StudyOptions& options) {
    RunRequest request{.step = seconds(simulation.step.run.makespan), .failures = ask.failures};
    FABRICAST_ASSIGN(request.steps, stepsOf(ask, step.scenario, facts));
    request.repair = ask.repair;
    request.spares = ask.spares;
    FABRICAST_ASSIGN(RunPlan plan, planRun(step.scenario, facts, request));
    FABRICAST_ASSIGN(plan.spells, spellsOf(simulation, step));
    if (ask.jitter) {
        FABRICAST_ASSIGN(
            plan.jitter,
            jitterGroups(step.scenario, step.timing, simulation.step.detail, *ask.jitter));
    }
    FABRICAST_ASSIGN(RunStudy study, studyRuns(plan, options));
    return RunAnswer{.study = std::move(study),
                     .checkpoint = facts.checkpoint,
                     .site = facts.site.name,
                     .jitter = ask.jitter.value_or(0.0)};
}

/// Both are of one walk; where the short one missed something, people should know.
std::vector<std::string> differingPeaks(const std::vector<MemoryCurve>& curves,
                                        const MemoryBreakdown& memory) {
    std::vector<std::string> notes;
    for (const MemoryCurve& curve : curves) {
        const StageMemory& stage = memory.stages.at(static_cast<std::size_t>(curve.stage));
        const auto steps =
            std::ranges::find(stage.phases, std::string_view("steps"), &PhasePeak::name);
        const Bytes peak = steps == stage.phases.end() ? stage.requested : steps->requested;
        if (curve.peak != peak) {
            notes.push_back("walked pass by pass, tensors of stage " + std::to_string(curve.stage) +
                            " take " + shortText(curve.peak) + " at most, not " + shortText(peak));
        }
    }
    return notes;
}

/// Adds the memory over time of the stages that are asked for, and of the fullest.
Result<void> addMemory(const SimulateAsk& ask, Simulation& answer) {
    const SimulatedStep& step = answer.step;
    FABRICAST_ASSIGN(const StageRanks ranks, ranksOf(answer.scenario, step.detail));
    const std::size_t fullest = answer.memory.fullest;
    const std::vector<std::size_t> stages = ask.stages == 0
                                                ? std::vector<std::size_t>{fullest}
                                                : shownStages(step, ranks, fullest, ask.stages);
    Result<std::vector<MemoryCurve>> curves =
        memoryCurves(answer.scenario, step.program, step.run, ranks, stages);
    if (!curves && (ask.needsMemory || curves.error().code != Error::Code::Unsupported)) {
        return tl::unexpected(std::move(curves).error());
    }
    if (!curves) {
        answer.notes.push_back("memory over time is not shown: " + curves.error().why);
        return {};
    }
    answer.curves = *std::move(curves);
    answer.notes = differingPeaks(answer.curves, answer.memory);
    return {};
}

/// The step, and the runs where they are asked for.
Result<Simulation> simulated(TroubledStep& step,
                             const std::optional<BudgetFacts>& facts,
                             const SimulateAsk& ask,
                             const Workbench& bench,
                             const Watch& watch) {
    if (facts) {
        FABRICAST_TRY(checkRuns(step, *facts, *ask.runs, watch));
    }
    FABRICAST_ASSIGN(Simulation answer, simulateTroubled(step));
    FABRICAST_TRY(watch.check());
    FABRICAST_TRY(addMemory(ask, answer));
    FABRICAST_TRY(watch.check());
    if (facts) {
        const StudyOptions options{.seed = ask.runs->seed,
                                   .runs = ask.runs->runs,
                                   .threads = bench.threads(),
                                   .stopped = [&watch] { return watch.stopped(); },
                                   .progress = watch.progress};
        FABRICAST_ASSIGN(answer.run, simulateRuns(answer, step, *facts, *ask.runs, options));
    }
    return answer;
}

}  // namespace

Result<Simulation> simulate(const Question& question,
                            const SimulateAsk& ask,
                            const Workbench& bench,
                            const Watch& watch) {
    FABRICAST_ASSIGN(LoadedScenario loaded,
                     loadScenario(question.root, bench.profiles(), question.folders));
    std::optional<BudgetFacts> facts;
    if (ask.runs) {
        FABRICAST_ASSIGN(facts, loadBudget(question.root, bench.profiles(), question.folders));
    }
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    TroubledStep step{.scenario = std::move(loaded.scenario),
                      .timing = *timing,
                      .detail = ask.detail,
                      .stragglers = ask.stragglers,
                      .failed = ask.failed,
                      .stop = watch.stop};
    step.detail.mostOps = mostOps(ask, watch);
    Result<Simulation> answer = simulated(step, facts, ask, bench, watch);
    if (!answer) {
        return tl::unexpected(located(std::move(answer).error(), question.root));
    }
    answer->notes.insert(answer->notes.begin(), loaded.assumed.begin(), loaded.assumed.end());
    addNotes(loaded.measured, answer->notes);
    FABRICAST_ASSIGN(
        const std::vector<std::string> own,
        ownMeasurementNotes(std::span(&answer->scenario, 1), figuresOf({.budget = facts}), bench));
    addNotes(own, answer->notes);
    FABRICAST_ASSIGN(const std::vector<std::string> idle,
                     idleSettingsNote({&question, 1}, bench, watch));
    addNotes(idle, answer->notes);
    if (answer->step.stretch != 1.0) {
        answer->notes.push_back(
            stretchNote(answer->step.stretch, answer->scenario.cluster.node.own.name) +
            ", which is in no time here");
    }
    return answer;
}

}  // namespace fabricast
