#include "cli/command.h"
#include "cli/open_profiles.h"
#include "cli/scenario_flags.h"
#include "cli/shell_word.h"
#include "planner/base/quantity_text.h"
#include "planner/io/text_file.h"
#include "planner/load/load_scenario.h"
#include "planner/load/load_timing.h"
#include "planner/memory/estimate_memory.h"
#include "simulator/report/shown_stages.h"
#include "simulator/report/simulation_json.h"
#include "simulator/report/simulation_text.h"
#include "simulator/report/step_picture.h"
#include "simulator/trace/trace_json.h"

#include <chrono>
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

Result<Simulation> simulation(const Scenario& scenario,
                              const ProfileStore& profiles,
                              const SimulateFlags& flags,
                              std::size_t mostStages) {
    FABRICAST_ASSIGN(const TimingProfiles timing, loadTiming(profiles));
    const auto begin = std::chrono::steady_clock::now();
    FABRICAST_ASSIGN(SimulatedStep step, simulateStep(scenario, timing, flags.detail()));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    FABRICAST_ASSIGN(MemoryBreakdown memory, judgeMemory(scenario));
    FABRICAST_ASSIGN(const StageRanks ranks, ranksOf(scenario, flags.detail()));
    const std::vector<std::size_t> stages =
        mostStages == 0 ? std::vector<std::size_t>{memory.fullest}
                        : shownStages(step, ranks, memory.fullest, mostStages);
    Result<std::vector<MemoryCurve>> curves =
        memoryCurves(scenario, step.program, step.run, ranks, stages);
    if (!curves && (flags.svg || curves.error().code != Error::Code::Unsupported)) {
        return tl::unexpected(std::move(curves).error());
    }
    std::vector<std::string> notes =
        curves ? differingPeaks(*curves, memory)
               : std::vector<std::string>{"memory over time is left out: " + curves.error().why};
    return Simulation{.scenario = scenario,
                      .step = std::move(step),
                      .memory = std::move(memory),
                      .curves = curves ? *std::move(curves) : std::vector<MemoryCurve>(),
                      .wallSeconds = wall.count(),
                      .notes = std::move(notes)};
}

Result<Simulation> simulated(const SimulateFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const JsonValue root, scenarioOf(flags.scenario, options));
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    const std::filesystem::path file =
        flags.scenario.file ? options.at(*flags.scenario.file) : std::string();
    const Folders folders{.file = file.parent_path().string(), .typed = options.directory};
    FABRICAST_ASSIGN(const LoadedScenario loaded, loadScenario(root, profiles, folders));
    Result<Simulation> answer =
        simulation(loaded.scenario, profiles, flags, mostStages(flags, options));
    if (!answer) {
        return tl::unexpected(located(std::move(answer).error(), root));
    }
    answer->notes.insert(answer->notes.begin(), loaded.assumed.begin(), loaded.assumed.end());
    return answer;
}

/// What to ask next: the picture.
std::string nextCommand(const SimulateFlags& flags, const GlobalOptions& options) {
    std::string typed = "\nnext: fabricast simulate" + flags.scenario.typed();
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
    return Answer{.text = std::move(text)};
}

}  // namespace

Command simulateCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand(
        "simulate", "One training step, event by event: what it waits for, and a trace of it");
    const auto flags = std::make_shared<SimulateFlags>();
    app->footer(
        "examples:\n"
        "  fabricast simulate -m llama-3.1-8b -c dgx-h100 --stack megatron --layout pp=4,tp=2\n"
        "  fabricast simulate run.json --trace step.json   # for https://ui.perfetto.dev\n"
        "  fabricast simulate run.json --svg step.svg      # a picture for a browser\n"
        "  fabricast simulate run.json --expand --format json");
    addScenarioFlags(*app,
                     flags->scenario,
                     {"--tokens",
                      "--price",
                      "--price-kind",
                      "--site",
                      "--mtbf",
                      "--checkpoint",
                      "--checkpoint-interval"});
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
