#include "study/simulate.h"

#include "cli/command.h"
#include "cli/run_flags.h"
#include "flags/question_arguments.h"
#include "planner/text/shell_text.h"
#include "planner/text/text_files.h"
#include "simulator/report/shown_stages.h"
#include "simulator/report/simulation_report.h"
#include "simulator/report/step_picture.h"
#include "simulator/trace/trace_files.h"
#include "study/next_command.h"

#include <chrono>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

struct SimulateFlags {
    QuestionArguments question;
    std::optional<std::string> trace;
    RunFlags run;
    std::vector<std::string> fail;
    std::optional<std::string> svg;
    bool expand = false;
    bool calls = false;
};

bool draws(const SimulateFlags& flags, const GlobalOptions& options) {
    return flags.svg || options.page != PageKind::None;
}

/// Stages whose memory over time is asked for: a trace has all, a screen only the fullest.
std::size_t mostStages(const SimulateFlags& flags, const GlobalOptions& options) {
    if (flags.trace) {
        return std::numeric_limits<std::size_t>::max();
    }
    return draws(flags, options) ? kMostLanes : options.format == Format::Json ? kMostRows : 0;
}

Result<SimulateAsk> simulateAsk(const SimulateFlags& flags, const GlobalOptions& options) {
    SimulateAsk ask{
        .detail = {.ranks = flags.expand ? Ranks::All : Ranks::Classes,
                   .handOvers = flags.calls ? HandOvers::Framework : HandOvers::Forecast},
        .failed = flags.fail,
        .stages = mostStages(flags, options),
        .needsMemory = draws(flags, options),
        .traces = flags.trace.has_value()};
    if (flags.run.stragglers) {
        FABRICAST_ASSIGN(ask.stragglers, stragglersOf(*flags.run.stragglers));
    }
    FABRICAST_ASSIGN(ask.runs, runsAskOf(flags.run, flags.question, ask.stragglers));
    return ask;
}

std::string typedRest(const SimulateFlags& flags) {
    std::string text = flags.run.typed();
    for (const std::string& name : flags.fail) {
        text += " --fail " + shellWord(name);
    }
    return text;
}

Result<Answer> printedSimulation(Simulation answer,
                                 double seconds,
                                 const Question& question,
                                 const SimulateFlags& flags,
                                 const GlobalOptions& options) {
    if (options.format == Format::Json) {
        return Answer{.text = simulationJson(answer, seconds, FABRICAST_VERSION)};
    }
    if (options.quiet) {
        answer.notes.clear();
    }
    const bool isLast = options.quiet || flags.trace || flags.svg;
    Report report = simulationReport(answer);
    if (options.page != PageKind::None) {
        report.add(Drawing{.title = "The step over time", .svg = stepPicture(answer)});
    }
    if (!isLast) {
        report.add(nextLine("simulate", question, typedRest(flags) + " --svg step.svg"));
    }
    return Answer{.report = std::move(report)};
}

ExitCode simulationCode(const Simulation& answer) {
    if (answer.run && answer.run->study.runs != answer.run->study.asked) {
        return ExitCode::Interrupted;
    }
    const bool tooBig = answer.memory.verdict == Verdict::DoesNotFit;
    return tooBig ? ExitCode::DoesNotFit : ExitCode::Ok;
}

Result<Answer> runSimulate(const SimulateFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const SimulateAsk ask, simulateAsk(flags, options));
    FABRICAST_ASSIGN(const Question question, questionOf(flags.question, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    const auto begin = std::chrono::steady_clock::now();
    FABRICAST_ASSIGN(const Simulation answer, simulate(question, ask, bench, options.watch()));
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - begin;
    FABRICAST_ASSIGN(Answer printed,
                     printedSimulation(answer, wall.count(), question, flags, options));
    if (flags.trace) {
        FABRICAST_TRY(
            writeTextFile(options.at(*flags.trace),
                          traceJson(answer.step.program, answer.step.run, answer.curves)));
    }
    if (flags.svg) {
        FABRICAST_TRY(writeTextFile(options.at(*flags.svg), stepPicture(answer)));
    }
    printed.code = simulationCode(answer);
    return printed;
}

}  // namespace

Command simulateCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command(
        "simulate", "Simulate a training step event by event, or runs with slow GPUs and failures");
    const auto flags = std::make_shared<SimulateFlags>();
    app.footer(
        "examples:\n"
        "  fabricast simulate -m llama-3.1-8b -c dgx-h100 --stack megatron --layout pp=4,tp=2\n"
        "  fabricast simulate run.json --trace step.json   # for https://ui.perfetto.dev\n"
        "  fabricast simulate run.json --svg step.svg      # a picture for a browser\n"
        "  fabricast simulate run.json --expand --format json\n"
        "  fabricast simulate run.json --stragglers 1.3@stage0\n"
        "  fabricast simulate run.json --fail node3/nic2-leaf2\n"
        "  fabricast simulate run.json --steps 100000 --failures --spares 4 --jitter 1%\n"
        "Ctrl-C prints the completed runs; exit status 130.");
    addScenarioArguments(app, flags->question, {"--price", "--price-kind"});
    addRunFlags(app, flags->run);
    app.add("--fail", flags->fail, "a failed link, device or node; repeatable")
        .takes("NAME", "node0")
        .oneEach();
    app.add("--trace", flags->trace, "write every op to a file for Perfetto or Chrome")
        .takes("FILE", "trace.json");
    app.add("--svg", flags->svg, "draw the step: a lane for each stage, and its memory")
        .takes("FILE", "step.svg");
    app.add("--expand", flags->expand, "simulate every rank, not one representative per stage");
    app.add("--calls",
            flags->calls,
            "model pipeline transfers with the framework's blocking send/recv calls");
    return {app, [flags, &options] { return runSimulate(*flags, options); }, true, kTextAndJson};
}

}  // namespace fabricast
