#include "cli/command.h"
#include "cli/flag_values.h"
#include "cli/open_profiles.h"
#include "cli/plan_fixes.h"
#include "cli/plan_question.h"
#include "cli/scenario_flags.h"
#include "cli/shell_word.h"
#include "cli/simulated_plans.h"
#include "cli/typed_layout.h"
#include "planner/base/parallel_map.h"
#include "planner/budget/plan_value.h"
#include "planner/budget/price_plans.h"
#include "planner/io/plan_json.h"
#include "planner/load/load_budget.h"
#include "planner/load/load_search.h"
#include "planner/load/load_timing.h"
#include "planner/report/fixes_report.h"
#include "planner/report/plan_text.h"
#include "planner/report/sensitivity_report.h"
#include "planner/search/find_on_parts.h"
#include "planner/whatif/sensitivity.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostPlans = 1000;

/// The best layout of the same question under other premises.
Result<SearchedOutcome> bestUnder(const PlanQuestion& question,
                                  const Plan& usual,
                                  const Premises& premises) {
    SearchTask task = question.task;
    task.base.cluster = premises.scenario.cluster;
    task.base.workload = premises.scenario.workload;
    SearchOptions options = question.options;
    options.top = 1;
    FABRICAST_ASSIGN(const PlanReport report, findPlans(task, premises.timing, options));
    if (report.plans.empty()) {
        return fail(Error::Code::BadInput, "layout", "no layout fits");
    }
    const Plan& best = report.plans.front();
    const std::string typed = typedPlan(best);
    return SearchedOutcome{.outcome = outcomeOf(best.step, best.memory),
                           .layout = typed == typedPlan(usual) ? "" : typed};
}

/// The plans, with the time that finding them took.
Result<PlanReport> timedSearch(const PlanQuestion& question,
                               const TimingProfiles& timing,
                               const std::vector<PlanTarget>& targets) {
    const auto value = [&](const Plan& plan) -> std::optional<double> {
        return meetsTargets(plan, targets, question.budget)
                   ? planValue(question.options.objective, plan, question.budget)
                   : std::nullopt;
    };
    const auto start = std::chrono::steady_clock::now();
    FABRICAST_ASSIGN(PlanReport report,
                     question.parts ? findOnParts(question.task, timing, question.options, value)
                                    : findPlans(question.task, timing, question.options));
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.notes = question.assumed;
    return withCosts(std::move(report), question.budget);
}

Result<PlanReport> planned(const PlanFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const std::vector<PlanTarget> targets, readTargets(flags.targets));
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    FABRICAST_ASSIGN(const PlanQuestion question, planQuestion(flags, options, profiles));
    FABRICAST_TRY(checkTargets(targets, question.budget));
    FABRICAST_ASSIGN(const TimingProfiles timing, loadTiming(profiles));
    FABRICAST_ASSIGN(PlanReport report, timedSearch(question, timing, targets));
    if (flags.simulate > 0) {
        const SecondOpinion asked{.plans = static_cast<std::size_t>(flags.simulate),
                                  .shown = static_cast<std::size_t>(flags.top),
                                  .threads = question.options.threads};
        FABRICAST_ASSIGN(report,
                         withSimulations(std::move(report), asked, timing, question.budget));
    }
    if (flags.sensitivity && !report.plans.empty()) {
        const Plan& best = report.plans.front();
        const auto search = [&](const Premises& premises) {
            return bestUnder(question, best, premises);
        };
        FABRICAST_ASSIGN(report.sensitivity, sensitivityOf({best.scenario, timing}, search));
    }
    if (!targets.empty() || (report.plans.empty() && report.candidates > 0)) {
        report.fixes = planFixes({flags, options, profiles, timing}, report, targets);
    }
    return report;
}

std::string nextCommand(const PlanFlags& flags,
                        const GlobalOptions& options,
                        const PlanReport& report) {
    const std::vector<Plan>& shown = report.plans.empty() ? report.misses : report.plans;
    if (shown.empty()) {
        return "";
    }
    ScenarioFlags said = flags.scenario;
    said.stack = shown.front().scenario.stack;
    said.layout = typedLayout(shown.front().scenario);
    const std::int64_t gpus = shown.front().scenario.cluster.gpus();
    if (gpus != report.question.cluster.gpus()) {
        said.nodes.reset();
        said.gpus = std::to_string(gpus);
    }
    std::string typed = said.typed();
    for (const std::string& set : options.sets) {
        typed += " --set " + shellWord(set);
    }
    return "\nnext: fabricast explain" + typed + "\n";
}

Result<Answer> runPlan(const PlanFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const PlanReport report, planned(flags, options));
    if (report.candidates == 0) {
        const bool said = !report.rejections.empty();
        return fail(
            Error::Code::BadInput,
            "layout",
            "no stack takes any layout here" + (said ? ": " + report.rejections.front().stack +
                                                           ": " + report.rejections.front().why
                                                     : std::string()),
            "fewer --fix and --forbid, or another --global-batch");
    }
    const bool missed = report.plans.empty() || (report.fixes && !report.fixes->allMet());
    Answer answer{.code = missed ? ExitCode::DoesNotFit : ExitCode::Ok};
    switch (options.format) {
        case Format::Json:
            answer.text = planJson(report, FABRICAST_VERSION);
            return answer;
        case Format::Csv:
            answer.text = planCsv(report);
            return answer;
        case Format::Markdown:
            answer.text =
                planMarkdown(report) + (report.fixes ? "\n" + fixesMarkdown(*report.fixes) : "") +
                (report.sensitivity ? "\n" + sensitivityMarkdown(*report.sensitivity) : "");
            return answer;
        case Format::Text:
            break;
    }
    const std::string fixes = report.fixes ? "\n" + fixesText(*report.fixes) : std::string();
    const std::string sensitivity =
        report.sensitivity ? "\n" + sensitivityText(*report.sensitivity) : std::string();
    answer.text = planText(report) + fixes + sensitivity +
                  (options.quiet ? "" : nextCommand(flags, options, report));
    if (options.verbose) {
        std::array<char, 64> took{};
        std::snprintf(took.data(), took.size(), "searched in %.2f s", report.seconds);
        answer.remarks.emplace_back(took.data());
    }
    return answer;
}

}  // namespace

Command planCommand(CLI::App& program, const GlobalOptions& options) {
    CLI::App* app = program.add_subcommand("plan", "The best layouts for a model on a cluster");
    const auto flags = std::make_shared<PlanFlags>();
    app->footer(
        "examples:\n"
        "  fabricast plan -m llama-3.1-70b -c dgx-h100 -n 8 --seq 8192 --global-batch 512\n"
        "  fabricast plan run.json --stack megatron --fix tp=8 --forbid vpp --top 3\n"
        "  fabricast plan run.json --simulate 10   # a second opinion, event by event\n"
        "  fabricast plan run.json --target tokens-per-s=1.2M --target mfu=40%\n"
        "Exits with 1 when nothing fits or a target is missed (--no-fail: with 0).");
    addScenarioFlags(*app, flags->scenario, {"--stack"});
    const auto words = [app](const char* name,
                             std::vector<std::string>& values,
                             const char* what,
                             const char* description) {
        app->add_option(name, values, description)
            ->option_text(what)
            ->allow_extra_args(false)
            ->group("The search");
    };
    words("--stack", flags->stacks, "NAME", "a stack to look at, again for more; left out: four");
    words("--fix", flags->fixed, "KEYS", "hold keys of the layout: tp=8,recompute=full");
    words("--forbid", flags->forbidden, "KEY", "pp, recompute, schedule=gpipe: leave out");
    words("--allow", flags->allowed, "WHAT", "tp_across_nodes, idle_gpus");
    words("--target",
          flags->targets,
          "METRIC=VALUE",
          "tokens-per-s, step, mfu or days; where it is missed, what would reach it");
    addWhole(*app, "--top", flags->top, {1, kMostPlans})
        ->description("how many plans (5)")
        ->group("The search");
    addWhole(*app, "--simulate", flags->simulate, {1, kMostPlans})
        ->description("simulate the best K, and put them in the order of that")
        ->option_text("K")
        ->group("The search");
    app->add_flag(
           "--pareto", flags->pareto, "slower plans too, that need less memory or fewer GPUs")
        ->group("The search");
    app->add_flag("--sensitivity", flags->sensitivity, "what would make the best plan faster")
        ->group("The search");
    app->add_option("--objective",
                    flags->objective,
                    "tokens (per second), time, cost, energy, gpus or memory")
        ->option_text("NAME")
        ->group("The search");
    return {app, [flags, &options] { return runPlan(*flags, options); }};
}

}  // namespace fabricast
