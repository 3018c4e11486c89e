#include "cli/command.h"
#include "cli/flag_values.h"
#include "cli/open_profiles.h"
#include "cli/scenario_flags.h"
#include "cli/shell_word.h"
#include "planner/base/parallel_map.h"
#include "planner/budget/price_plans.h"
#include "planner/io/plan_json.h"
#include "planner/load/load_budget.h"
#include "planner/load/load_search.h"
#include "planner/load/load_timing.h"
#include "planner/report/plan_text.h"
#include "planner/report/sensitivity_report.h"
#include "planner/search/find_plans.h"
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

struct PlanFlags {
    ScenarioFlags scenario;
    std::vector<std::string> stacks;
    std::vector<std::string> fixed;
    std::vector<std::string> forbidden;
    std::vector<std::string> allowed;
    std::int64_t top = 5;
    std::string objective = "tokens";
    bool sensitivity = false;
};

Result<PlanObjective> objectiveOf(const std::string& typed) {
    if (typed == "tokens") {
        return PlanObjective::Throughput;
    }
    if (typed == "memory") {
        return PlanObjective::Memory;
    }
    constexpr std::array<std::string_view, 5> kLater = {
        "cost", "time", "energy", "gpus", "$/token"};
    if (std::find(kLater.begin(), kLater.end(), typed) != kLater.end()) {
        return fail(Error::Code::Unsupported,
                    "--objective",
                    "layouts are not searched for the least " + typed + " yet",
                    "tokens or memory");
    }
    return fail(
        Error::Code::BadInput, "--objective", "cannot be \"" + typed + "\"", "tokens or memory");
}

Result<LayoutRules> rulesOf(const PlanFlags& flags, PartialLayout fixed) {
    LayoutRules rules{.fixed = std::move(fixed)};
    for (const std::string& typed : flags.forbidden) {
        FABRICAST_ASSIGN(ForbiddenValue rule, readForbidden(typed));
        rules.forbidden.push_back(std::move(rule));
    }
    for (const std::string& typed : flags.allowed) {
        if (typed != "tp_across_nodes") {
            return fail(Error::Code::BadInput,
                        "--allow",
                        "\"" + typed + "\" cannot be allowed",
                        "tp_across_nodes");
        }
        rules.tensorAcrossNodes = true;
    }
    if (rules.fixed.says("offload") && rules.fixed.layout.offload != Offload::None) {
        return fail(Error::Code::Unsupported,
                    "layout.offload",
                    "the step time of offloading is not forecast yet",
                    "explain --layout offload=…, for its memory");
    }
    return rules;
}

/// What is searched, and with what.
struct SearchInputs {
    SearchTask task;
    TimingProfiles timing;
    SearchOptions options;
    BudgetFacts budget;
    std::vector<std::string> assumed;
};

Result<SearchInputs> inputsOf(const PlanFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(const PlanObjective objective, objectiveOf(flags.objective));
    ScenarioFlags said = flags.scenario;
    for (const std::string& keys : flags.fixed) {
        said.layout = (said.layout ? *said.layout + "," : "") + keys;
    }
    FABRICAST_ASSIGN(const JsonValue root, scenarioOf(said, options));
    FABRICAST_ASSIGN(const ProfileStore profiles, openProfiles(options));
    const std::filesystem::path file = said.file ? options.at(*said.file) : "";
    const Folders folders{.file = file.parent_path().string(), .typed = options.directory};
    FABRICAST_ASSIGN(LoadedSearch loaded, loadSearch(root, profiles, folders, flags.stacks));
    FABRICAST_ASSIGN(BudgetFacts budget, loadBudget(root, profiles, folders));
    FABRICAST_ASSIGN(LayoutRules rules, rulesOf(flags, std::move(loaded.fixed)));
    FABRICAST_ASSIGN(TimingProfiles timing, loadTiming(profiles));
    const std::size_t threads =
        options.threads > 0 ? static_cast<std::size_t>(options.threads) : threadsOfMachine();
    return SearchInputs{
        .task = {std::move(loaded.base), std::move(loaded.stacks), std::move(rules)},
        .timing = std::move(timing),
        .options = {.top = static_cast<std::size_t>(flags.top),
                    .objective = objective,
                    .threads = threads},
        .budget = std::move(budget),
        .assumed = std::move(loaded.assumed)};
}

/// The best layout of the same question under other premises.
Result<SearchedOutcome> bestUnder(const SearchInputs& inputs,
                                  const Plan& usual,
                                  const Premises& premises) {
    SearchTask task = inputs.task;
    task.base.cluster = premises.scenario.cluster;
    task.base.workload = premises.scenario.workload;
    SearchOptions options = inputs.options;
    options.top = 1;
    FABRICAST_ASSIGN(const PlanReport report, findPlans(task, premises.timing, options));
    if (report.plans.empty()) {
        return fail(Error::Code::BadInput, "layout", "no layout fits");
    }
    const Plan& best = report.plans.front();
    const auto typed = [](const Plan& plan) {
        return plan.scenario.stack + " " + planLayoutText(plan.scenario);
    };
    return SearchedOutcome{.outcome = {.step = best.step.step.value,
                                       .tokensPerGpuSecond = best.step.tokensPerGpuSecond,
                                       .peak = best.memory.peak.value,
                                       .verdict = best.memory.verdict},
                           .layout = typed(best) == typed(usual) ? "" : typed(best)};
}

Result<PlanReport> planned(const PlanFlags& flags, const GlobalOptions& options) {
    FABRICAST_ASSIGN(SearchInputs inputs, inputsOf(flags, options));
    const auto start = std::chrono::steady_clock::now();
    FABRICAST_ASSIGN(PlanReport report, findPlans(inputs.task, inputs.timing, inputs.options));
    report.seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report.notes = std::move(inputs.assumed);
    if (flags.sensitivity && !report.plans.empty()) {
        const Plan& best = report.plans.front();
        const auto search = [&](const Premises& premises) {
            return bestUnder(inputs, best, premises);
        };
        FABRICAST_ASSIGN(report.sensitivity, sensitivityOf({best.scenario, inputs.timing}, search));
    }
    return withCosts(std::move(report), inputs.budget);
}

/// The keys of a plan's layout that a stack would fill in differently, so that it can be typed.
std::string typedLayout(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    std::string text = planLayoutText(scenario);
    const auto stack = findStack(scenario.stack);
    if (!stack) {
        return text;
    }
    const LayoutDefaults usual = layoutDefaults(**stack, layout);
    text += layout.shard == Shard::None && usual.shard != Shard::None ? ",shard=none" : "";
    text += !layout.sp && usual.sp ? ",sp=false" : "";
    text += scenario.model.moe && layout.etp == 1 && usual.etp != 1 ? ",etp=1" : "";
    const bool ring = layout.cp > 1 && layout.cpKind == CpKind::Ring;
    return text + (ring && usual.cpKind != CpKind::Ring ? ",cp_kind=ring" : "");
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
    Answer answer{.code = report.plans.empty() ? ExitCode::DoesNotFit : ExitCode::Ok};
    switch (options.format) {
        case Format::Json:
            answer.text = planJson(report, FABRICAST_VERSION);
            return answer;
        case Format::Csv:
            answer.text = planCsv(report);
            return answer;
        case Format::Markdown:
            answer.text =
                planMarkdown(report) +
                (report.sensitivity ? "\n" + sensitivityMarkdown(*report.sensitivity) : "");
            return answer;
        case Format::Text:
            break;
    }
    const std::string sensitivity =
        report.sensitivity ? "\n" + sensitivityText(*report.sensitivity) : std::string();
    answer.text =
        planText(report) + sensitivity + (options.quiet ? "" : nextCommand(flags, options, report));
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
        "Exits with 1 when nothing fits (--no-fail: with 0).");
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
    words("--allow", flags->allowed, "WHAT", "tp_across_nodes");
    addWhole(*app, "--top", flags->top, {1, kMostPlans})
        ->description("how many plans (5)")
        ->group("The search");
    app->add_flag("--sensitivity", flags->sensitivity, "what would make the best plan faster")
        ->group("The search");
    app->add_option("--objective", flags->objective, "tokens (per second), or memory (the least)")
        ->option_text("NAME")
        ->group("The search");
    return {app, [flags, &options] { return runPlan(*flags, options); }};
}

}  // namespace fabricast
