#include "cli/plan_question.h"

#include "planner/base/parallel_map.h"
#include "planner/load/load_budget.h"
#include "planner/load/load_search.h"
#include "planner/report/plan_text.h"
#include "planner/result/plan_names.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

Result<PlanObjective> objectiveOf(const std::string& typed) {
    if (typed == "time") {  // to train: the more tokens a second the less
        return PlanObjective::Throughput;
    }
    if (const auto known = fromName<PlanObjective>(typed)) {
        return *known;
    }
    return fail(Error::Code::BadInput,
                "--objective",
                "cannot be \"" + typed + "\"",
                "tokens, time, cost, energy, gpus or memory");
}

Result<LayoutRules> rulesOf(const PlanFlags& flags, PartialLayout fixed) {
    LayoutRules rules{.fixed = std::move(fixed)};
    for (const std::string& typed : flags.forbidden) {
        FABRICAST_ASSIGN(ForbiddenValue rule, readForbidden(typed));
        rules.forbidden.push_back(std::move(rule));
    }
    for (const std::string& typed : flags.allowed) {
        if (typed != "tp_across_nodes" && typed != "idle_gpus") {
            return fail(Error::Code::BadInput,
                        "--allow",
                        "\"" + typed + "\" cannot be allowed",
                        "tp_across_nodes or idle_gpus");
        }
        rules.tensorAcrossNodes = rules.tensorAcrossNodes || typed == "tp_across_nodes";
    }
    return rules;
}

}  // namespace

Result<PlanQuestion> planQuestion(const PlanFlags& flags,
                                  const GlobalOptions& options,
                                  const ProfileStore& profiles) {
    FABRICAST_ASSIGN(const PlanObjective objective, objectiveOf(flags.objective));
    ScenarioFlags said = flags.scenario;
    for (const std::string& keys : flags.fixed) {
        said.layout = (said.layout ? *said.layout + "," : "") + keys;
    }
    FABRICAST_ASSIGN(const JsonValue root, scenarioOf(said, options));
    const std::filesystem::path file = said.file ? options.at(*said.file) : "";
    const Folders folders{.file = file.parent_path().string(), .typed = options.directory};
    FABRICAST_ASSIGN(LoadedSearch loaded, loadSearch(root, profiles, folders, flags.stacks));
    FABRICAST_ASSIGN(BudgetFacts budget, loadBudget(root, profiles, folders));
    for (const std::string& key : flags.freed) {
        loaded.fixed.said.erase(key);
    }
    FABRICAST_ASSIGN(LayoutRules rules, rulesOf(flags, std::move(loaded.fixed)));
    const bool idles = objective == PlanObjective::Cost || objective == PlanObjective::Energy ||
                       objective == PlanObjective::Gpus ||
                       std::ranges::find(flags.allowed, "idle_gpus") != flags.allowed.end();
    const std::size_t threads =
        options.threads > 0 ? static_cast<std::size_t>(options.threads) : threadsOfMachine();
    return PlanQuestion{
        .task = {std::move(loaded.base), std::move(loaded.stacks), std::move(rules)},
        .options = {.top = static_cast<std::size_t>(std::max(flags.top, flags.simulate)),
                    .objective = objective,
                    .pareto = flags.pareto,
                    .threads = threads},
        .budget = std::move(budget),
        .parts = idles,
        .assumed = std::move(loaded.assumed)};
}

std::string typedPlan(const Plan& plan) {
    return plan.scenario.stack + " " + planLayoutText(plan.scenario);
}

}  // namespace fabricast
