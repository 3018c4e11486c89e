#include "cli/simulated_run.h"

#include "cli/percent_flag.h"
#include "planner/base/parallel_map.h"
#include "planner/base/quantity_text.h"
#include "planner/memory/estimate_memory.h"
#include "simulator/faults/plan_run.h"
#include "simulator/faults/step_jitter.h"

#include <chrono>
#include <cmath>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kUsualRuns = 200;
constexpr std::int64_t kUsualSeed = 1;

/// As many steps as the flag says, or the tokens need.
Result<std::int64_t> stepsOf(const RunFlags& flags,
                             const Scenario& scenario,
                             const BudgetFacts& facts) {
    if (flags.steps > 0) {
        return flags.steps;
    }
    if (!facts.tokens) {
        return fail(Error::Code::BadInput,
                    "--steps",
                    "how long a run is has to be said",
                    "--steps 100000, or --tokens 1T");
    }
    const double perStep = static_cast<double>(scenario.workload.globalBatch) *
                           static_cast<double>(scenario.workload.sequence);
    const double steps = std::ceil(static_cast<double>(facts.tokens->count()) / perStep);
    constexpr double kMost = 1e12;
    if (steps > kMost) {
        return fail(Error::Code::BadInput,
                    "workload.tokens",
                    "is more steps than can be counted",
                    "--steps 100000");
    }
    return static_cast<std::int64_t>(steps);
}

Result<double> jitterOf(const RunFlags& flags) {
    return flags.jitter ? percentOf(*flags.jitter, "--jitter") : Result<double>(0.0);
}

Result<std::optional<Seconds>> repairOf(const RunFlags& flags) {
    if (!flags.repair) {
        return std::optional<Seconds>();
    }
    FABRICAST_ASSIGN(const Seconds repair, parseQuantity<Seconds>(*flags.repair, "--repair"));
    return std::optional(repair);
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
                             simulateStep(step.scenario, step.timing, detail));
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
    FABRICAST_ASSIGN(const SimulatedStep one, simulateStep(step.scenario, step.timing, classes));
    return one.path.busiest;
}

}  // namespace

Result<Simulation> simulateTroubled(TroubledStep& step) {
    const auto begin = std::chrono::steady_clock::now();
    FABRICAST_ASSIGN(SimulatedStep simulated,
                     simulateStep(step.scenario, step.timing, step.detail));
    FABRICAST_ASSIGN(const std::size_t busiest, busiestStage(step, simulated));
    StepDetail slower = step.detail;
    for (Straggler& gpu : step.stragglers) {
        gpu.stage = gpu.stage.value_or(busiest);
        if (!gpu.every) {
            addTo(slower, gpu);
        }
    }
    std::optional<Seconds> undisturbed;
    if (slower.disturbed()) {
        undisturbed = seconds(simulated.run.makespan);
        FABRICAST_ASSIGN(simulated, simulateStep(step.scenario, step.timing, slower));
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    FABRICAST_ASSIGN(MemoryBreakdown memory, judgeMemory(step.scenario));
    return Simulation{.scenario = step.scenario,
                      .step = std::move(simulated),
                      .undisturbed = undisturbed,
                      .memory = std::move(memory),
                      .wallSeconds = wall.count()};
}

Result<RunAnswer> simulateRuns(const Simulation& simulation,
                               const TroubledStep& step,
                               const BudgetFacts& facts,
                               const RunFlags& flags,
                               const GlobalOptions& options) {
    RunRequest request{.step = seconds(simulation.step.run.makespan), .failures = flags.failures};
    FABRICAST_ASSIGN(request.steps, stepsOf(flags, step.scenario, facts));
    FABRICAST_ASSIGN(request.repair, repairOf(flags));
    if (flags.spares >= 0) {
        request.spares = flags.spares;
    }
    FABRICAST_ASSIGN(RunPlan plan, planRun(step.scenario, facts, request));
    FABRICAST_ASSIGN(plan.spells, spellsOf(simulation, step));
    FABRICAST_ASSIGN(const double jitter, jitterOf(flags));
    if (flags.jitter) {
        FABRICAST_ASSIGN(plan.jitter,
                         jitterGroups(step.scenario, step.timing, simulation.step.detail, jitter));
    }
    const std::int64_t seed = flags.seed >= 0 ? flags.seed : kUsualSeed;
    const std::size_t threads =
        options.threads > 0 ? static_cast<std::size_t>(options.threads) : threadsOfMachine();
    FABRICAST_ASSIGN(RunStudy study,
                     studyRuns(plan,
                               {.seed = static_cast<std::uint64_t>(seed),
                                .runs = flags.runs > 0 ? flags.runs : kUsualRuns,
                                .threads = threads,
                                .stopped = options.interrupted,
                                .progress = options.quiet ? nullptr : options.progress}));
    return RunAnswer{.study = std::move(study),
                     .checkpoint = facts.checkpoint,
                     .site = facts.site.name,
                     .jitter = jitter};
}

}  // namespace fabricast
