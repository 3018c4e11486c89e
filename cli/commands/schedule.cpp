#include "study/schedule.h"

#include "cli/answer_forms.h"
#include "flags/command_line.h"
#include "planner/report/schedule_report.h"

#include <array>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostPipelineRanks = 4096;
constexpr std::array kReceives = {Choice<Receive>{"overlap", Receive::Overlap},
                                  Choice<Receive>{"block", Receive::Block}};
constexpr std::array kPairModes = {Choice<PairMode>{"atomic", PairMode::Atomic},
                                   Choice<PairMode>{"seq", PairMode::Sequential}};

/// The errors of the planner name keys; on a command line those are flags.
Error asFlag(Error error) {
    const bool argument =
        error.where.empty() || error.where == "schedule" || error.where.starts_with("-");
    error.where = argument ? error.where : "--" + error.where;
    return error;
}

struct ShownSchedule {
    PipelineTimeline timeline;
    bool verbose = false;
};
using ScheduleForm = AnswerForm<ShownSchedule>;
constexpr std::array kScheduleForms = {
    ScheduleForm{"text",
                 [](const ShownSchedule& all) { return scheduleText(all.timeline, all.verbose); }},
    ScheduleForm{
        "json",
        [](const ShownSchedule& all) { return scheduleJson(all.timeline, FABRICAST_VERSION); }},
    ScheduleForm{"csv", [](const ShownSchedule& all) { return scheduleCsv(all.timeline); }},
    ScheduleForm{"md", [](const ShownSchedule& all) { return scheduleMarkdown(all.timeline); }}};

Result<Answer> runSchedule(const ScheduleAsk& flags, const GlobalOptions& options) {
    Result<PipelineTimeline> timeline = schedule(flags);
    if (!timeline) {
        return tl::unexpected(asFlag(timeline.error()));
    }
    return answerIn(
        options.format, ShownSchedule{*std::move(timeline), options.verbose}, kScheduleForms);
}

void addShapeFlags(const FlagSet& app, ScheduleAsk& flags) {
    app.add("--stack", flags.stack, "framework whose order and rules apply (default: the paper's)")
        .takes("NAME", "megatron");
    app.add("--pp", flags.shape.ranks, {1, kMostPipelineRanks})
        .describe("pipeline ranks (default: 4)");
    app.add("--vpp", flags.shape.chunks, {1, kMostPipelineRanks})
        .describe("stages per rank (default: 1, or 2 for interleaved schedules)");
    app.add("--microbatches", flags.shape.microBatches, {1, kMostDrawn})
        .describe("microbatches per step (default: 8)");
    app.add("--group", flags.shape.group, {1, kMostDrawn})
        .describe("interleaved: microbatches that a stage runs in a row");
}

void addTimeFlags(const FlagSet& app, TimelineSettings& settings) {
    app.add("--durations",
            settings.durations,
            "durations of forward, backward, input and weight gradient; one, or one per stage")
        .takes("\"F=1;B=2\"");
    app.add("--p2p", settings.handOver, "duration of a transfer to another rank (default: 0)")
        .takes("TIME", "0.1");
    app.addChoice<Receive>("--recv", settings.receive, kReceives)
        .describe("whether a rank computes while it receives: overlap, or block");
    app.addChoice<PairMode>("--pair", settings.pairs, kPairModes)
        .describe("overlapped pairs run together (atomic), or one after the other (seq)");
}

}  // namespace

Command scheduleCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command("schedule", "Show what each pipeline rank runs, and when");
    app.footer(
        "schedules: gpipe 1f1b interleaved interleaved-overlap-ep looped-bfs interleaved-zb\n"
        "           zb-h1 zb-h2 zbv v-half v-min dualpipe dualpipev\n"
        "examples:\n"
        "  fabricast schedule 1f1b --pp 4 --microbatches 8\n"
        "  fabricast schedule interleaved --stack megatron --pp 4 --vpp 2 --group 4\n"
        "  fabricast schedule zbv --stack torchtitan --durations \"F=41;I=43;W=38\" --p2p 2");
    const auto flags = std::make_shared<ScheduleAsk>();
    app.add("schedule", flags->name, "name of a schedule: 1f1b").takes("NAME").required();
    addShapeFlags(app, *flags);
    addTimeFlags(app, flags->settings);
    return {app, [flags, &options] { return runSchedule(*flags, options); }};
}

}  // namespace fabricast
