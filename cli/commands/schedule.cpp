#include "cli/command.h"
#include "cli/flag_values.h"
#include "planner/io/schedule_json.h"
#include "planner/report/schedule_report.h"
#include "planner/schedule/draw_timeline.h"
#include "planner/schedule/schedule_name.h"
#include "planner/stack/stack.h"

#include <array>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostRanks = 4096;
constexpr std::array kReceives = {Choice<Receive>{"overlap", Receive::Overlap},
                                  Choice<Receive>{"block", Receive::Block}};
constexpr std::array kPairModes = {Choice<PairMode>{"atomic", PairMode::Atomic},
                                   Choice<PairMode>{"seq", PairMode::Sequential}};

struct ScheduleFlags {
    std::string name;
    std::string stack = "paper";
    PipelineShape shape{.ranks = 4, .chunks = 0, .microBatches = 8};
    TimelineSettings settings;
};

/// The errors of the planner name keys; on a command line those are flags.
Error asFlag(Error error) {
    const bool argument =
        error.where.empty() || error.where == "schedule" || error.where.starts_with("-");
    error.where = argument ? error.where : "--" + error.where;
    return error;
}

/// torch and the papers are no stacks of their own, but have schedules.
Result<std::string> stackNamed(const std::string& typed) {
    if (typed == "torch" || typed == "paper") {
        return typed;
    }
    FABRICAST_ASSIGN(const Stack* stack, findStack(typed));
    return std::string(stack->name);
}

Result<PipelineTimeline> timelineOf(const ScheduleFlags& flags) {
    FABRICAST_ASSIGN(const ScheduleName name, findSchedule(flags.name));
    FABRICAST_ASSIGN(const std::string stack, stackNamed(flags.stack));
    FABRICAST_ASSIGN(const Framework framework, frameworkOf(stack));
    PipelineShape shape = flags.shape;
    shape.chunks = shape.chunks > 0 ? shape.chunks : name.usualChunks;
    if (shape.group > 0 && name.schedule != ScheduleKind::Interleaved &&
        name.schedule != ScheduleKind::InterleavedZb) {
        return fail(Error::Code::BadInput,
                    "group",
                    std::string(name.name) + " has no groups of microbatches",
                    "leave it out");
    }
    if (stack == "nemo" && shape.group == 0 && name.schedule == ScheduleKind::Interleaved) {
        shape.group = shape.ranks;  // what its configuration sets
    }
    FABRICAST_ASSIGN(const FrameworkOrder order,
                     frameworkOrder({.framework = framework,
                                     .schedule = name.schedule,
                                     .expertOverlap = name.expertOverlap,
                                     .shape = shape}));
    FABRICAST_ASSIGN(PipelineTimeline timeline, drawTimeline(order, flags.settings));
    timeline.schedule = name.name;
    timeline.framework = stack;
    return timeline;
}

std::string rendered(const PipelineTimeline& timeline, const GlobalOptions& options) {
    switch (options.format) {
        case Format::Json:
            return scheduleJson(timeline, FABRICAST_VERSION);
        case Format::Csv:
            return scheduleCsv(timeline);
        case Format::Markdown:
            return scheduleMarkdown(timeline);
        case Format::Text:
            break;
    }
    return scheduleText(timeline, options.verbose);
}

Result<Answer> runSchedule(const ScheduleFlags& flags, const GlobalOptions& options) {
    const Result<PipelineTimeline> timeline = timelineOf(flags);
    if (!timeline) {
        return tl::unexpected(asFlag(timeline.error()));
    }
    return Answer{.text = rendered(*timeline, options)};
}

void addShapeFlags(CLI::App& app, ScheduleFlags& flags) {
    app.add_option("--stack", flags.stack, "whose order and rules; left out: the paper's")
        ->option_text("NAME");
    addWhole(app, "--pp", flags.shape.ranks, {1, kMostRanks})->description("pipeline ranks (4)");
    addWhole(app, "--vpp", flags.shape.chunks, {1, kMostRanks})
        ->description("stages per rank (1; 2 where the schedule has several)");
    addWhole(app, "--microbatches", flags.shape.microBatches, {1, kMostDrawn})
        ->description("microbatches per step (8)");
    addWhole(app, "--group", flags.shape.group, {1, kMostDrawn})
        ->description("interleaved: microbatches that a stage runs in a row");
}

void addTimeFlags(CLI::App& app, TimelineSettings& settings) {
    app.add_option("--durations",
                   settings.durations,
                   "of a forward, backward, input and weight gradient; several: one per stage")
        ->option_text("\"F=1;B=2\"");
    app.add_option("--p2p", settings.handOver, "what a hand-over to another rank takes (0)")
        ->option_text("TIME");
    addChoice<Receive>(app, "--recv", settings.receive, kReceives)
        ->description("whether a rank computes while it receives: overlap, or block");
    addChoice<PairMode>(app, "--pair", settings.pairs, kPairModes)
        ->description("overlapped pairs run as one (atomic), or one after the other (seq)");
}

}  // namespace

Command scheduleCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand("schedule", "What each pipeline rank runs, and when");
    app->footer(
        "schedules: gpipe 1f1b interleaved interleaved-overlap-ep looped-bfs interleaved-zb\n"
        "           zb-h1 zb-h2 zbv v-half v-min dualpipe dualpipev\n"
        "examples:\n"
        "  fabricast schedule 1f1b --pp 4 --microbatches 8\n"
        "  fabricast schedule interleaved --stack megatron --pp 4 --vpp 2 --group 4\n"
        "  fabricast schedule zbv --stack torchtitan --durations \"F=41;I=43;W=38\" --p2p 2");
    const auto flags = std::make_shared<ScheduleFlags>();
    app->add_option("schedule", flags->name, "a schedule's name, as 1f1b")
        ->option_text("NAME")
        ->required();
    addShapeFlags(*app, *flags);
    addTimeFlags(*app, flags->settings);
    return {app, [flags, &options] { return runSchedule(*flags, options); }};
}

}  // namespace fabricast
