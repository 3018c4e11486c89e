#include "study/plan.h"

#include "cli/answer_forms.h"
#include "cli/run_sweep.h"
#include "flags/question_arguments.h"
#include "planner/report/hardware_report.h"
#include "planner/report/plan_views.h"
#include "study/hardware.h"
#include "study/next_command.h"
#include "study/saved_questions.h"
#include "study/sweep_rows.h"
#include "study/targets.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostPlans = 1000;

struct PlanFlags {
    QuestionArguments question;
    std::vector<std::string> clusters;  ///< several: which of them is best
    std::vector<std::string> targets;
    TypedSweep sweep;
    std::int64_t simulate = 0;
    bool sensitivity = false;
    bool pareto = false;
};

/// The plans, and how long finding them took.
struct TimedPlans {
    PlanReport report;
    double seconds = 0.0;
    JsonValue asked{};  ///< with whole paths
};

using PlansForm = AnswerForm<TimedPlans>;
constexpr std::array kPlansForms = {
    PlansForm{"text", [](const TimedPlans& plans) { return planReport(plans.report); }},
    PlansForm{"json",
              [](const TimedPlans& plans) {
                  return planJson(plans.report, plans.seconds, &plans.asked, FABRICAST_VERSION);
              }},
    PlansForm{"csv", [](const TimedPlans& plans) { return planCsv(plans.report); }},
    PlansForm{"md", [](const TimedPlans& plans) { return planMarkdown(plans.report); }}};

using HardwareForm = AnswerForm<HardwareAnswer>;
constexpr std::array kHardwareForms = {
    HardwareForm{"text", &hardwareReport},
    HardwareForm{
        "json", [](const HardwareAnswer& found) { return hardwareJson(found, FABRICAST_VERSION); }},
    HardwareForm{"csv", &hardwareCsv},
    HardwareForm{"md", &hardwareMarkdown}};

/// Words as a list of JSON.
std::string wordsText(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        text += (text.empty() ? "[\"" : ", \"") + word + "\"";
    }
    return text + "]";
}

Result<TimedPlans> planned(const Question& question,
                           const PlanFlags& flags,
                           const GlobalOptions& options,
                           const Workbench& bench) {
    PlanAsk ask{.simulate = static_cast<std::size_t>(flags.simulate),
                .pareto = flags.pareto,
                .sensitivity = flags.sensitivity};
    FABRICAST_ASSIGN(ask.targets, readTargets(flags.targets));
    const auto start = std::chrono::steady_clock::now();
    FABRICAST_ASSIGN(PlanReport report, plan(question, ask, bench, options.watch()));
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    FABRICAST_TRY(checkAnyLayout(report, question, bench));
    FABRICAST_ASSIGN(Question whole, withWholePaths(question, bench.profiles()));
    if (!flags.targets.empty()) {
        const std::vector<Edit> edits = {{"search.targets", wordsText(flags.targets), "--target"}};
        FABRICAST_ASSIGN(whole, with(whole, edits));
    }
    return TimedPlans{std::move(report), took.count(), std::move(whole.root)};
}

/// What is asked of one cluster only.
Result<void> checkSeveral(const PlanFlags& flags) {
    const char* const typed = !flags.targets.empty()         ? "--target"
                              : flags.simulate > 0           ? "--simulate"
                              : flags.pareto                 ? "--pareto"
                              : flags.sensitivity            ? "--sensitivity"
                              : flags.question.says("--gpu") ? "--gpu"
                                                             : nullptr;
    if (typed == nullptr) {
        return {};
    }
    return fail(Error::Code::BadInput,
                typed,
                "is for one cluster, and there are several",
                oneOrSize(flags.clusters, flags.targets));
}

/// Which of several clusters.
Result<Answer> runHardware(const PlanFlags& flags, const GlobalOptions& options) {
    FABRICAST_TRY(checkSeveral(flags));
    FABRICAST_ASSIGN(const Question question, questionOf(flags.question, options));
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(HardwareAnswer found,
                     whichHardware(question, flags.clusters, bench, options.watch()));
    if (options.quiet) {
        found.notes.clear();
    }
    Answer answer = answerIn(options.format, found, kHardwareForms);
    answer.leanOn(found.notes);
    answer.code = found.stopped   ? ExitCode::Interrupted
                  : found.fastest ? ExitCode::Ok
                                  : ExitCode::DoesNotFit;
    return answer;
}

/// Answers of one plan that a sweep has no place for.
Result<void> checkSweep(const PlanFlags& flags) {
    const char* const other = !flags.sweep.isAsked() && !flags.sweep.file.empty() ? "--out"
                              : !flags.sweep.isAsked()                            ? nullptr
                              : flags.clusters.size() > 1                         ? "-c"
                              : !flags.targets.empty()                            ? "--target"
                              : flags.simulate > 0                                ? "--simulate"
                              : flags.sensitivity                                 ? "--sensitivity"
                              : flags.pareto                                      ? "--pareto"
                                                                                  : nullptr;
    if (other == nullptr) {
        return {};
    }
    return !flags.sweep.isAsked()
               ? fail(Error::Code::BadInput, other, "keeps a sweep", "--sweep cluster.nodes=1,2,4")
               : fail(Error::Code::BadInput, other, "cannot be swept", "one of the two");
}

/// What stands beside the plans has no rows among theirs.
Result<void> checkTable(const PlanFlags& flags, Format format) {
    const char* const beside = !flags.targets.empty() ? "--target"
                               : flags.sensitivity    ? "--sensitivity"
                                                      : nullptr;
    return beside == nullptr || format != Format::Csv ? Result<void>()
                                                      : fail(Error::Code::BadInput,
                                                             beside,
                                                             "has no place in a table of plans",
                                                             "-f json, which has both");
}

Result<Answer> runPlan(PlanFlags flags, const GlobalOptions& options) {
    FABRICAST_TRY(checkSweep(flags));
    FABRICAST_TRY(checkTable(flags, options.format));
    if (flags.clusters.size() > 1) {
        return runHardware(flags, options);
    }
    if (!flags.clusters.empty()) {
        flags.question.values["-c"] = flags.clusters.front();
    }
    FABRICAST_ASSIGN(const Question question, questionOf(flags.question, options));
    if (flags.sweep.isAsked()) {
        FABRICAST_ASSIGN(const std::vector<SweepAxis> axes, readSweep(flags.sweep.axes));
        FABRICAST_TRY(checkSaidBeside(question, axes));
        return runSweep(planPoints(question), axes, flags.sweep.file, options);
    }
    FABRICAST_ASSIGN(const Workbench bench, workbenchOf(options));
    FABRICAST_ASSIGN(TimedPlans plans, planned(question, flags, options, bench));
    const PlanReport& report = plans.report;
    const bool missed = report.plans.empty() || (report.fixes && !report.fixes->allMet());
    if (options.quiet && options.format != Format::Json) {
        plans.report.notes.clear();
    }
    Answer answer = answerIn(options.format, plans, kPlansForms);
    answer.leanOn(report.notes);
    if (!options.quiet && options.format == Format::Text) {
        FABRICAST_ASSIGN(const std::string next, nextAfterPlans(question, report, bench));
        answer.add(next);
    }
    answer.code = report.stopped || !report.unfinished.empty() ? ExitCode::Interrupted
                  : report.isNotModelled() || report.refused   ? ExitCode::BadInput
                  : missed                                     ? ExitCode::DoesNotFit
                                                               : ExitCode::Ok;
    if (options.format == Format::Csv && answer.code == ExitCode::BadInput) {
        return tl::unexpected(noTable(report));
    }
    if (options.verbose && options.format == Format::Text) {
        std::array<char, 64> took{};
        std::snprintf(took.data(), took.size(), "searched in %.2f s", plans.seconds);
        answer.remarks.emplace_back(took.data());
    }
    return answer;
}

}  // namespace

Command planCommand(const FlagSet& program, const GlobalOptions& options) {
    const FlagSet app = program.command("plan", "Search the best layouts for a model on a cluster");
    const auto flags = std::make_shared<PlanFlags>();
    app.footer(
        "examples:\n"
        "  fabricast plan -m llama-3.1-70b -c dgx-h100 -n 8 --seq 8192 --global-batch 512\n"
        "  fabricast plan run.json --stack megatron --fix tp=8 --forbid vpp --top 3\n"
        "  fabricast plan run.json --simulate 10   # a second opinion, event by event\n"
        "  fabricast plan run.json --target tokens-per-s=1.2M --target mfu=40%\n"
        "  fabricast plan -m llama-3.1-8b -c dgx-h100 -c dgx-h200 -c 8x-rtx-4090 --tokens 10B\n"
        "Exit status 1 if nothing fits or a target is missed (--no-fail: 0). Ctrl-C prints the "
        "best\n"
        "plans so far; exit status 130.");
    constexpr const char* kGroup = "The search";
    addScenarioArguments(app, flags->question, {"--stack", "-c"});
    app.add("-c,--cluster", flags->clusters, "a cluster or node: dgx-h100; several are compared")
        .takes("NAME", "dgx-h100")
        .oneEach()
        .group("The scenario");
    addQuestionFlags(app, flags->question, searchFlags());
    app.add("--target",
            flags->targets,
            "tokens-per-s, step, mfu, days or hours; lists what would reach it")
        .takes("METRIC=VALUE", "mfu=40%")
        .oneOf({"tokens-per-s=", "step=", "mfu=", "days=", "hours="})
        .oneEach()
        .group(kGroup);
    app.add("--simulate", flags->simulate, {1, kMostPlans})
        .describe("simulate the best K, and order them by the result")
        .takes("K")
        .group(kGroup);
    addSweepFlags(app,
                  flags->sweep,
                  "the best plan for each value of a key: cluster.nodes=1,2,4; repeatable",
                  kGroup);
    app.add("--pareto", flags->pareto, "also slower plans that need less memory or fewer GPUs")
        .group(kGroup);
    app.add("--sensitivity",
            flags->sensitivity,
            "what a faster GPU, memory, network or host would bring")
        .group(kGroup);
    return {app, [flags, &options] { return runPlan(*flags, options); }, true};
}

}  // namespace fabricast
