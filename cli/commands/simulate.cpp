#include "cli/command.h"
#include "cli/open_profiles.h"
#include "cli/scenario_flags.h"
#include "cli/shell_word.h"
#include "cli/simulated_run.h"
#include "planner/base/quantity_text.h"
#include "planner/io/text_file.h"
#include "planner/load/load_budget.h"
#include "planner/load/load_scenario.h"
#include "planner/load/load_timing.h"
#include "planner/memory/estimate_memory.h"
#include "simulator/report/shown_stages.h"
#include "simulator/report/simulation_json.h"
#include "simulator/report/simulation_text.h"
#include "simulator/report/step_picture.h"
#include "simulator/trace/trace_json.h"

#include <filesystem>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

struct SimulateFlags {
    ScenarioFlags scenario;
    std::optional<std::string> trace;
    RunFlags run;
    std::optional<std::string> svg;
    bool expand = false;
    bool calls = false;

    [[nodiscard]] StepDetail detail() const {
        return {.ranks = expand ? Ranks::All : Ranks::Classes,
                .handOvers = calls ? HandOvers::Framework : HandOvers::Forecast};
    }
};

/// Stages whose memory over time is asked for: a trace has all, a screen only the fullest.
std::size_t mostStages(const SimulateFlags& flags, const GlobalOptions& options) {
    if (flags.trace) {
        return std::numeric_limits<std::size_t>::max();
    }
    return flags.svg ? kMostLanes : options.format == Format::Json ? kMostRows : 0;
}

/// Both are of one walk; where the short one missed something, people should know.
std::vector<std::string> differingPeaks(const std::vector<MemoryCurve>& curves,
                                        const MemoryBreakdown& memory) {
    std::vector<std::string> notes;
    for (const MemoryCurve& curve : curves) {
        const StageMemory& stage = memory.stages.at(static_cast<std::size_t>(curve.stage));
        if (curve.peak != stage.requested) {
            notes.push_back("walked pass by pass, tensors of stage " + std::to_string(curve.stage) +
                            " take " + shortText(curve.peak) + " at most, not " +
                            shortText(stage.requested));
        }
    }
    return notes;
}

/// Adds the memory over time of the stages that are asked for, and of the fullest.
Result<void> addMemory(Simulation& answer, const SimulateFlags& flags, std::size_t mostStages) {
    const SimulatedStep& step = answer.step;
    FABRICAST_ASSIGN(const StageRanks ranks, ranksOf(answer.scenario, step.detail));
    const std::size_t fullest = answer.memory.fullest;
    const std::vector<std::size_t> stages = mostStages == 0
                                                ? std::vector<std::size_t>{fullest}
                                                : shownStages(step, ranks, fullest, mostStages);
    Result<std::vector<MemoryCurve>> curves =
        memoryCurves(answer.scenario, step.program, step.run, ranks, stages);
    if (!curves && (flags.svg || curves.error().code != Error::Code::Unsupported)) {
        return tl::unexpected(std::move(curves).error());
    }
    if (!curves) {
        answer.notes.push_back("memory over time is left out: " + curves.error().why);
        return {};
    }
    answer.curves = *std::move(curves);
    answer.notes = differingPeaks(answer.curves, answer.memory);
    return {};
}

/// The step, and the runs where they are asked for.
Result<Simulation> simulation(TroubledStep& step,
                              const std::optional<BudgetFacts>& facts,
                              const SimulateFlags& flags,
                              const GlobalOptions& options) {
    FABRICAST_ASSIGN(Simulation answer, simulateTroubled(step));
    FABRICAST_TRY(addMemory(answer, flags, mostStages(flags, options)));
    if (facts) {
        FABRICAST_ASSIGN(answer.run, simulateRuns(answer, step, *facts, flags.run, options));
    }
    return answer;
}

Result<Simulation> simulated(const SimulateFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const bool run, asksForRun(flags.run, flags.scenario));
    TroubledStep step{.detail = flags.detail()};
    if (flags.run.stragglers) {
        FABRICAST_ASSIGN(step.stragglers, stragglersOf(*flags.run.stragglers));
    }
    FABRICAST_ASSIGN(const JsonValue root, scenarioOf(flags.scenario, options));
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    const std::filesystem::path file =
        flags.scenario.file ? options.at(*flags.scenario.file) : std::string();
    const Folders folders{.file = file.parent_path().string(), .typed = options.directory};
    FABRICAST_ASSIGN(const LoadedScenario loaded, loadScenario(root, profiles, folders));
    std::optional<BudgetFacts> facts;
    if (run) {
        FABRICAST_ASSIGN(facts, loadBudget(root, profiles, folders));
    }
    step.scenario = loaded.scenario;
    FABRICAST_ASSIGN(step.timing, loadTiming(profiles));
    Result<Simulation> answer = simulation(step, facts, flags, options);
    if (!answer) {
        return tl::unexpected(located(std::move(answer).error(), root));
    }
    answer->notes.insert(answer->notes.begin(), loaded.assumed.begin(), loaded.assumed.end());
    return answer;
}

/// What to ask next: the picture.
std::string nextCommand(const SimulateFlags& flags, const GlobalOptions& options) {
    std::string typed = "\nnext: fabricast simulate" + flags.scenario.typed() + flags.run.typed();
    for (const std::string& set : options.sets) {
        typed += " --set " + shellWord(set);
    }
    return typed + " --svg step.svg\n";
}

Result<std::string> rendered(Simulation answer,
                             const SimulateFlags& flags,
                             const GlobalOptions& options) {
    if (options.format == Format::Json) {
        return simulationJson(answer, FABRICAST_VERSION);
    }
    if (options.format != Format::Text) {
        return fail(Error::Code::BadInput,
                    "--format",
                    "a simulation is written as text or JSON",
                    "--format json");
    }
    if (options.quiet) {
        answer.notes.clear();
    }
    const std::string next =
        options.quiet || flags.trace || flags.svg ? "" : nextCommand(flags, options);
    return simulationText(answer) + next;
}

Result<Answer> runSimulate(const SimulateFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const Simulation answer, simulated(flags, options));
    FABRICAST_ASSIGN(std::string text, rendered(answer, flags, options));
    if (flags.trace) {
        FABRICAST_TRY(
            writeTextFile(options.at(*flags.trace),
                          traceJson(answer.step.program, answer.step.run, answer.curves)));
    }
    if (flags.svg) {
        FABRICAST_TRY(writeTextFile(options.at(*flags.svg), stepPicture(answer)));
    }
    const bool whole = !answer.run || answer.run->study.runs == answer.run->study.asked;
    return Answer{.text = std::move(text), .code = whole ? ExitCode::Ok : ExitCode::Interrupted};
}

}  // namespace

Command simulateCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand(
        "simulate",
        "A training step, event by event, with a trace; runs in which GPUs are slow or fail");
    const auto flags = std::make_shared<SimulateFlags>();
    app->footer(
        "examples:\n"
        "  fabricast simulate -m llama-3.1-8b -c dgx-h100 --stack megatron --layout pp=4,tp=2\n"
        "  fabricast simulate run.json --trace step.json   # for https://ui.perfetto.dev\n"
        "  fabricast simulate run.json --svg step.svg      # a picture for a browser\n"
        "  fabricast simulate run.json --expand --format json\n"
        "  fabricast simulate run.json --stragglers 1.3@stage0\n"
        "  fabricast simulate run.json --steps 100000 --failures --spares 4 --jitter 1%\n"
        "Ctrl-C prints the runs that are over, and the program exits with 130.");
    addScenarioFlags(*app, flags->scenario, {"--price", "--price-kind"});
    addRunFlags(*app, flags->run);
    app->add_option("--trace", flags->trace, "write every op to a file for Perfetto or Chrome")
        ->option_text("FILE");
    app->add_option("--svg", flags->svg, "draw the step: a lane for each stage, and its memory")
        ->option_text("FILE");
    app->add_flag("--expand",
                  flags->expand,
                  "simulate every rank, where one of each stage would stand for all");
    app->add_flag(
        "--calls",
        flags->calls,
        "hand over by the framework's own send and receive calls, which wait for each other");
    return {app, [flags, &options] { return runSimulate(*flags, options); }};
}

}  // namespace fabricast
