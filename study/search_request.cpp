#include "study/search_request.h"

#include "planner/budget/cost_of.h"
#include "planner/load/load_question.h"
#include "planner/request/layout_json.h"
#include "planner/result/answer_names.h"
#include "planner/search/find_on_parts.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/stack.h"
#include "study/recipes.h"
#include "study/targets.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostPlans = 1000;
constexpr std::int64_t kUsualPlans = 5;
constexpr std::array<std::string_view, 7> kKeys = {
    "stacks", "forbid", "allow", "top", "objective", "software", "targets"};

using Words = std::vector<JsonValue>;

const JsonValue* searchOf(const Question& question) {
    return question.root.find("search");
}

Result<Words> wordList(const Question& question, std::string_view key) {
    const JsonValue* search = searchOf(question);
    const JsonValue* list = search == nullptr ? nullptr : search->find(key);
    if (list == nullptr) {
        return Words();
    }
    FABRICAST_TRY(list->expect(JsonValue::Kind::Array));
    for (const JsonValue& item : list->items()) {
        FABRICAST_TRY(item.expect(JsonValue::Kind::String));
    }
    return Words(list->items().begin(), list->items().end());
}

std::vector<std::string> textsOf(const Words& words) {
    std::vector<std::string> texts;
    for (const JsonValue& word : words) {
        texts.push_back(word.text().value_or(""));
    }
    return texts;
}

Result<PlanObjective> objectiveOf(const JsonValue* search) {
    const JsonValue* value = search == nullptr ? nullptr : search->find("objective");
    if (value == nullptr) {
        return PlanObjective::Throughput;
    }
    const std::string name = value->text().value_or(value->shown());
    if (name == "time") {  // to train: the more tokens a second the less
        return PlanObjective::Throughput;
    }
    if (const auto known = fromName<PlanObjective>(name)) {
        return *known;
    }
    return fail(Error::Code::BadInput,
                value->where(),
                "cannot be \"" + name + "\"",
                "tokens, time, cost, energy, gpus or memory");
}

/// A value that no layout has would forbid nothing, in silence.
Result<ForbiddenValue> forbiddenOf(const std::string& typed) {
    FABRICAST_ASSIGN(ForbiddenValue rule, readForbidden(typed));
    if (!rule.value.empty()) {
        FABRICAST_ASSIGN(const JsonValue value,
                         layoutObject(rule.key + "=" + rule.value, "--forbid"));
        FABRICAST_TRY(readLayout(value));
    }
    return rule;
}

/// Whether the rule leaves nothing of a key that is held.
Result<bool> isHeld(const PartialLayout& fixed, const ForbiddenValue& rule) {
    if (!fixed.says(rule.key)) {
        return false;
    }
    if (rule.value.empty()) {  // forbids what is not usual
        bool usual = rule.key == "recompute" && fixed.recompute == RecomputeSettings{};
        eachField(fixed.layout, [&](const auto& field, const auto& value) {
            usual = usual || (field.name == rule.key && value == Layout{}.*(field.member));
        });
        return !usual;
    }
    FABRICAST_ASSIGN(const JsonValue typed, layoutObject(rule.key + "=" + rule.value, "--forbid"));
    FABRICAST_ASSIGN(const PartialLayout forbidden, readLayout(typed));
    if (rule.key == "recompute") {
        return fixed.recompute == forbidden.recompute;
    }
    bool held = false;
    eachField(fixed.layout, [&](const auto& field, const auto& value) {
        held = held || (field.name == rule.key && value == forbidden.layout.*(field.member));
    });
    return held;
}

bool allows(const Words& allowed, std::string_view name) {
    return std::ranges::any_of(
        allowed, [name](const auto& word) { return word.text().value_or("") == name; });
}

/// The rule of one word of "forbid".
Result<ForbiddenValue> ruleOf(const JsonValue& word) {
    Result<ForbiddenValue> rule = forbiddenOf(word.text().value_or(""));
    if (!rule) {
        rule.error().where = word.where();
    }
    return rule;
}

Result<LayoutRules> rulesOf(const Question& question, PartialLayout fixed, const Words& allowed) {
    LayoutRules rules{.fixed = std::move(fixed)};
    FABRICAST_ASSIGN(const Words forbidden, wordList(question, "forbid"));
    for (const JsonValue& word : forbidden) {
        FABRICAST_ASSIGN(ForbiddenValue rule, ruleOf(word));
        FABRICAST_ASSIGN(const bool held, isHeld(rules.fixed, rule));
        if (held && !word.where().starts_with(kOfFamily)) {
            return fail(Error::Code::BadInput,
                        word.where(),
                        rule.key + " is held and forbidden",
                        "one of the two");
        }
        rules.forbidden.push_back(std::move(rule));
    }
    rules.tensorAcrossNodes = allows(allowed, "tp_across_nodes");
    return rules;
}

bool idles(PlanObjective objective, const Words& allowed) {
    return objective == PlanObjective::Cost || objective == PlanObjective::Energy ||
           objective == PlanObjective::Gpus || allows(allowed, "idle_gpus");
}

/// Gives each stack what its published recipe sets, and says so.
Result<void> tuneStacks(const Question& question, const Workbench& bench, LoadedSearch& loaded) {
    FABRICAST_ASSIGN(const bool tuned, isTuned(question));
    for (StackSettings& stack : loaded.stacks) {
        const std::string name(stack.stack->name);
        const std::vector<Edit> edits =
            tuned ? recipeEdits(question, name, loaded.base) : std::vector<Edit>();
        if (edits.empty()) {
            continue;
        }
        FABRICAST_ASSIGN(const Question published, with(question, edits));
        FABRICAST_ASSIGN(LoadedSearch one,
                         loadSearch(published.root, bench.profiles(), published.folders, {name}));
        stack = std::move(one.stacks.front());
        loaded.assumed.push_back(recipeNote(name, edits));
    }
    return {};
}

Result<std::int64_t> topOf(const JsonValue* search) {
    return search == nullptr ? kUsualPlans : search->integerOr("top", kUsualPlans, {1, kMostPlans});
}

Result<void> checkStacks(const Words& stacks) {
    for (const JsonValue& word : stacks) {
        Result<const Stack*> stack = findStack(word.text().value_or(""));
        if (!stack) {
            stack.error().where = word.where();
            return tl::unexpected(std::move(stack).error());
        }
    }
    return {};
}

/// A search over stacks and one stack would be two questions.
Result<void> checkOneStack(const Question& question, const Words& stacks) {
    const JsonValue* const stack = question.root.find("stack");
    const auto named = [](const JsonValue& name) {
        return findStack(name.text().value_or("")).value_or(nullptr);  // unknown: refused later
    };
    const Stack* const one = stack == nullptr ? nullptr : named(*stack);
    const auto isOther = [&](const JsonValue& searched) {
        return one != nullptr && named(searched) != one;
    };
    if (std::ranges::none_of(stacks, isOther)) {
        return {};
    }
    std::string names;
    for (const JsonValue& searched : stacks) {
        names += (names.empty() ? "" : ", ") + searched.shown();
    }
    return tl::unexpected(stack->problem("is " + stack->shown() + ", and search.stacks names " +
                                             names + " (" + stacks.front().where() + ")",
                                         "--set search.stacks=null, or --set stack=null"));
}

Result<void> checkAllowed(const Words& allowed) {
    for (const JsonValue& word : allowed) {
        const std::string name = word.text().value_or("");
        if (name != "tp_across_nodes" && name != "idle_gpus" && name != "tight") {
            return fail(Error::Code::BadInput,
                        word.where(),
                        "\"" + name + "\" cannot be allowed",
                        "tp_across_nodes, idle_gpus or tight");
        }
    }
    return {};
}

/// A launch file says its layout to start a run, and not for a search to keep to.
void addHeldLayout(const Question& question,
                   const PartialLayout& fixed,
                   std::vector<std::string>& assumed) {
    if (!says(question, "imported") || fixed.said.empty()) {
        return;
    }
    std::string held;
    for (const std::string& key : fixed.said) {
        held += (held.empty() ? "" : ",") + key + "=" + fixed.text(key);
    }
    assumed.push_back("layout held, as the launch file has it: " + held +
                      " (--set layout=null: all are searched)");
}

}  // namespace

Result<void> checkSearch(const Question& question) {
    const JsonValue* search = searchOf(question);
    if (search == nullptr) {
        return {};
    }
    FABRICAST_TRY(search->expect(JsonValue::Kind::Object));
    FABRICAST_TRY(search->onlyKeys(kKeys));
    FABRICAST_TRY(topOf(search));
    FABRICAST_TRY(objectiveOf(search));
    FABRICAST_TRY(isTuned(question));
    FABRICAST_ASSIGN(const Words stacks, wordList(question, "stacks"));
    FABRICAST_TRY(checkStacks(stacks));
    FABRICAST_TRY(checkOneStack(question, stacks));
    FABRICAST_ASSIGN(const Words allowed, wordList(question, "allow"));
    FABRICAST_TRY(checkAllowed(allowed));
    FABRICAST_ASSIGN(const Words forbidden, wordList(question, "forbid"));
    for (const JsonValue& word : forbidden) {
        FABRICAST_TRY(ruleOf(word));
    }
    FABRICAST_TRY(askedTargets(question));
    return {};
}

Result<std::vector<PlanTarget>> askedTargets(const Question& question) {
    FABRICAST_ASSIGN(const Words words, wordList(question, "targets"));
    std::vector<PlanTarget> targets;
    for (const JsonValue& word : words) {
        Result<std::vector<PlanTarget>> read = readTargets({word.text().value_or("")});
        if (!read) {
            read.error().where = word.where();
            return read;
        }
        targets.insert(targets.end(), read->begin(), read->end());
    }
    return targets;
}

Result<SearchRequest> searchRequest(const Question& question, const Workbench& bench) {
    FABRICAST_TRY(checkSearch(question));
    const JsonValue* search = searchOf(question);
    FABRICAST_ASSIGN(const std::int64_t top, topOf(search));
    FABRICAST_ASSIGN(const PlanObjective objective, objectiveOf(search));
    FABRICAST_ASSIGN(const Words stacks, wordList(question, "stacks"));
    FABRICAST_ASSIGN(const Words allowed, wordList(question, "allow"));
    FABRICAST_ASSIGN(
        LoadedSearch loaded,
        loadSearch(question.root, bench.profiles(), question.folders, textsOf(stacks)));
    FABRICAST_TRY(tuneStacks(question, bench, loaded));
    FABRICAST_ASSIGN(BudgetFacts budget,
                     loadBudget(question.root, bench.profiles(), question.folders));
    FABRICAST_ASSIGN(LayoutRules rules, rulesOf(question, std::move(loaded.fixed), allowed));
    addHeldLayout(question, rules.fixed, loaded.assumed);
    return SearchRequest{
        .task = {std::move(loaded.base), std::move(loaded.stacks), std::move(rules)},
        .options = {.top = static_cast<std::size_t>(top),
                    .objective = objective,
                    .distinct = true,
                    .tight = allows(allowed, "tight"),
                    .threads = bench.threads(),
                    .known = &bench.known()},
        .budget = std::move(budget),
        .parts = idles(objective, allowed),
        .assumed = std::move(loaded.assumed)};
}

bool forbidsWhatItHolds(const Question& question) {
    const JsonValue* const layout = question.root.find("layout");
    if (layout == nullptr || searchWords(question, "forbid").empty()) {
        return false;
    }
    Result<PartialLayout> fixed = readLayout(*layout);
    return fixed && !rulesOf(question, *std::move(fixed), {});
}

std::vector<std::string> searchWords(const Question& question, std::string_view list) {
    const Result<Words> words = wordList(question, list);
    return words ? textsOf(*words) : std::vector<std::string>();
}

Result<PlanReport> searched(const SearchRequest& request,
                            const TimingProfiles& timing,
                            const Watch& watch) {
    const auto value = [&](const Plan& plan) -> std::optional<double> {
        return meetsTargets(plan, request.targets, request.budget)
                   ? planValue(request.options.objective, plan, request.budget)
                   : std::nullopt;
    };
    FABRICAST_ASSIGN(PlanReport report,
                     request.parts
                         ? findOnParts(request.task, timing, request.options, value, watch)
                         : findPlans(request.task, timing, request.options, watch));
    report.notes.insert(report.notes.begin(), request.assumed.begin(), request.assumed.end());
    return withCosts(std::move(report), request.budget);
}

}  // namespace fabricast
