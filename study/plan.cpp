#include "study/plan.h"

#include "planner/budget/cost_of.h"
#include "planner/estimate/expert_waits.h"
#include "planner/memory/stage_memory.h"
#include "planner/search/batch_steps.h"
#include "planner/search/distinct_plans.h"
#include "planner/search/held_keys.h"
#include "simulator/network/cluster_topology.h"
#include "study/assumed_routing.h"
#include "study/better_changes.h"
#include "study/chosen_by_measurement.h"
#include "study/fixes.h"
#include "study/idle_settings.h"
#include "study/own_measurements.h"
#include "study/rules_of_thumb.h"
#include "study/search_request.h"
#include "study/search_size.h"
#include "study/sensitivity.h"
#include "study/targets.h"
#include "study/typed_plan.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// Whether one outcome comes before another by the rule of a search, as far as outcomes say it.
bool comesBefore(const Outcome& a, const Outcome& b, const SearchOptions& rule) {
    const auto rank = [&rule](const Outcome& outcome) {
        const bool asGood = countsAsFit(outcome.verdict, rule.tight);
        double value = 0.0;  // prices and idle GPUs are not among them
        if (rule.objective == PlanObjective::Memory) {
            value = static_cast<double>(outcome.peak.count());
        } else if (rule.objective == PlanObjective::Throughput) {
            value = outcome.step.count();
        }
        return std::pair(asGood ? Verdict::Fits : outcome.verdict, value);
    };
    return rank(a) < rank(b);
}

/// The best layout of the same question with one thing of it turned, by the same rule: the usual
/// one, whose outcome is `held`, unless another is found.
Result<SearchedOutcome> bestUnder(SearchRequest request,
                                  const Premises& turned,
                                  const Plan& usual,
                                  const std::optional<Outcome>& held,
                                  const Watch& watch) {
    request.task.base = turned.scenario;
    request.options.top = 1;
    request.options.threads = 1;
    request.options.isOneOfSeveral = true;
    request.options.pareto = false;
    request.options.mostWalked = kMostEventsOfMany;
    FABRICAST_ASSIGN(const PlanReport report, searched(request, turned.timing, watch));
    const bool isCut = !report.cutShort.empty();
    const bool holds = held && held->verdict != Verdict::DoesNotFit;
    if (report.plans.empty()) {
        return holds ? Result<SearchedOutcome>({.outcome = *held, .layout = "", .isCut = isCut})
                     : fail(Error::Code::BadInput, "layout", "no layout fits");
    }
    const Plan& found = report.plans.front();
    const Outcome best = outcomeOf(found.step, found.memory);
    if (holds && comesBefore(*held, best, request.options)) {
        return SearchedOutcome{.outcome = *held, .layout = "", .isCut = isCut};
    }
    const std::string typed = typedPlan(found);
    return SearchedOutcome{
        .outcome = best, .layout = typed == typedPlan(usual) ? "" : typed, .isCut = isCut};
}

/// How many searches that take as many looks as this one fit into a few seconds: a look took 11 to
/// 18 microseconds in plans of GPT-OSS and DeepSeek-V3 on 2,048 H100, walks included.
std::size_t mostSearches(std::int64_t looks) {
    constexpr std::int64_t kMostLooks = 500'000;
    return static_cast<std::size_t>(kMostLooks / std::max<std::int64_t>(1, looks));
}

/// Of the plans, or of those that come nearest.
Result<void> addPlanMeasurements(const BudgetFacts& budget,
                                 const Workbench& bench,
                                 PlanReport& report) {
    const std::vector<Plan>& shown = report.plans.empty() ? report.misses : report.plans;
    FABRICAST_ASSIGN(const std::vector<std::string> own, ownMeasurementNotes(shown, budget, bench));
    addNotes(own, report.notes);
    return {};
}

/// What every plan's time leaves out alike.
void addExpertWaits(PlanReport& report) {
    for (const Plan& plan : report.plans) {
        if (std::string note = expertWaitsNote(plan.scenario); !note.empty()) {
            addNotes({std::move(note)}, report.notes);
            return;
        }
    }
}

/// What a search that was stopped has found.
PlanReport stoppedWith(std::vector<Plan> plans, const SearchRequest& request) {
    PlanReport report{.question = request.task.base, .objective = request.options.objective};
    report.plans = std::move(plans);
    report.plans.resize(std::min(report.plans.size(), request.options.top));
    report.notes = request.assumed;
    report.stopped = true;
    report = withCosts(std::move(report), request.budget);
    report.fixes = targetVerdicts(report, request.targets);
    return report;
}

/// What would make the nearest miss fit.
Result<void> addMissFixes(const Question& question,
                          const Workbench& bench,
                          const Watch& watch,
                          PlanReport& report) {
    Plan& miss = report.misses.front();
    FABRICAST_ASSIGN(const Question about, questionAbout(question, report.question, miss.scenario));
    FABRICAST_ASSIGN(MemoryBreakdown memory, memoryOfAllStages(miss.scenario));
    FABRICAST_ASSIGN(miss.memory, withFixes(std::move(memory), miss.scenario, about, bench, watch));
    for (Rejection& rejection : miss.memory.rejections) {
        for (Fix& fix : rejection.fixes) {
            fix.behind = typedBehind(question, fix.edits);
        }
    }
    return {};
}

/// What its software can do besides: a search takes the settings as they are.
Result<void> addFaster(const Question& question,
                       const Workbench& bench,
                       const Watch& watch,
                       PlanReport& report) {
    const Plan& best = report.plans.front();
    FABRICAST_ASSIGN(const Question about, questionAbout(question, report.question, best.scenario));
    FABRICAST_ASSIGN(report.faster,
                     fasterChange(about,
                                  best.scenario,
                                  best.step,
                                  best.memory.verdict,
                                  bench,
                                  watch,
                                  FasterBy::Settings));
    return {};
}

/// What was stated without effect on any of the plans, or on those that come nearest.
Result<void> addIdleInAll(const Question& question,
                          const Workbench& bench,
                          const Watch& watch,
                          PlanReport& report) {
    std::vector<Question> questions;
    std::vector<const Scenario*> forecast;
    for (const Plan& plan : report.plans.empty() ? report.misses : report.plans) {
        FABRICAST_ASSIGN(Question about, questionAbout(question, report.question, plan.scenario));
        questions.push_back(std::move(about));
        forecast.push_back(&plan.scenario);
    }
    addNotes(assumedRouting(question, forecast), report.notes);
    FABRICAST_ASSIGN(const std::vector<std::string> idle,
                     idleSettingsNote(questions, bench, watch));
    addNotes(idle, report.notes);
    FABRICAST_ASSIGN(const std::vector<std::string> prices, idlePricesNote(question, bench));
    addNotes(prices, report.notes);
    return {};
}

/// All simulations together take as long as that of the largest graph at most.
Result<void> checkSimulations(std::size_t simulations, const ClusterSpec& cluster) {
    const auto count = static_cast<std::int64_t>(simulations);
    if (count == 0) {
        return {};
    }
    FABRICAST_TRY(checkGraphSize(cluster, {}));
    const std::int64_t most = kMostGraphGpus / cluster.gpus();
    return count <= most ? Result<void>()
                         : fail(Error::Code::BadInput,
                                "--simulate",
                                std::to_string(count) + " simulations of " +
                                    std::to_string(cluster.gpus()) + " GPUs are more than " +
                                    std::to_string(kMostGraphGpus) + " GPUs together",
                                "--simulate " + std::to_string(most));
}

/// What a search was asked, and what it was asked with.
struct Searched {
    const Question& question;
    const PlanAsk& ask;
    const SearchRequest& request;
    const TimingProfiles& timing;
    const Workbench& bench;
};

Result<void> addSimulations(const Searched& done, const Watch& watch, PlanReport& report) {
    FABRICAST_ASSIGN(report,
                     withSimulations(PlanReport(report),
                                     {.plans = done.ask.simulate,
                                      .shown = done.request.options.top,
                                      .threads = done.bench.threads()},
                                     done.timing,
                                     done.request.budget,
                                     watch));
    return {};
}

Result<void> addSensitivity(const Searched& done, const Watch& watch, PlanReport& report) {
    const Plan& best = report.plans.front();
    FABRICAST_ASSIGN(report.sensitivity,
                     sensitivityOf({best.scenario, done.timing}, done.bench.threads()));
    const auto search = [&](const Turn& turn, const std::optional<Outcome>& held) {
        return bestUnder(done.request,
                         turn({done.request.task.base, done.timing}),
                         best,
                         held,
                         {.stop = watch.stop});
    };
    FABRICAST_TRY(
        addSearches(*report.sensitivity, search, mostSearches(report.looks), done.bench.threads()));
    return watch.check();
}

/// Everything beside the plans. Where it is stopped `unfinished` says at what.
Result<void> addAnswers(const Searched& done, const Watch& watch, PlanReport& report) {
    const auto begin = [&](const char* what) {
        report.unfinished = what;
        watch.say(what);
    };
    const bool fits = !report.plans.empty();
    if (!fits && !report.misses.empty()) {
        begin("the search for what would make the nearest fit");
        FABRICAST_TRY(addMissFixes(done.question, done.bench, watch, report));
    }
    if (done.ask.simulate > 0) {
        begin("the simulations");
        FABRICAST_TRY(addSimulations(done, watch, report));
    }
    if (fits && report.objective != PlanObjective::Memory) {
        begin("the search for what would be faster");
        FABRICAST_TRY(addFaster(done.question, done.bench, watch, report));
    }
    if (fits) {
        begin("the search for what would surely fit");
        FABRICAST_ASSIGN(report.surer, surerChange(done.question, report.plans, done.bench, watch));
    }
    if (fits && done.ask.sensitivity) {
        begin("the sensitivity");
        FABRICAST_TRY(addSensitivity(done, watch, report));
    }
    if (!done.request.targets.empty() || (!fits && report.hasLayouts())) {
        begin("the search for what would help");
        FABRICAST_ASSIGN(TargetFixes help,
                         targetFixes(done.question, done.request, report, done.bench, watch));
        report.fixes = std::move(help.fixes);
        if (!help.cutShort.empty()) {
            report.cutShort += (report.cutShort.empty() ? "" : "; ") + help.cutShort;
        }
    }
    report.unfinished.clear();
    return {};
}

}  // namespace

Result<PlanReport> plan(const Question& question,
                        const PlanAsk& ask,
                        const Workbench& bench,
                        const Watch& watch) {
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(question, bench));
    FABRICAST_TRY(checkSearchSize(request.task.base.model, request.task.base.cluster, kPlanSize));
    request.targets = ask.targets;
    if (request.targets.empty()) {
        FABRICAST_ASSIGN(request.targets, askedTargets(question));
    }
    FABRICAST_TRY(checkTargets(request.targets, request.budget));
    FABRICAST_TRY(checkSimulations(ask.simulate, request.task.base.cluster));
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    SearchRequest first = request;
    first.options.pareto = ask.pareto;  // later searches are for the best plan alone
    first.options.top = std::max(request.options.top, ask.simulate);
    std::vector<Plan> soFar;
    first.options.onPlan = [&](std::span<const Plan> plans) {
        soFar.assign(plans.begin(), plans.end());
        if (ask.onPlan) {
            ask.onPlan(plans);
        }
    };
    Result<PlanReport> searching = searched(first, *timing, watch);
    if (!searching && searching.error().code == Error::Code::Stopped && !soFar.empty()) {
        PlanReport report = stoppedWith(std::move(soFar), request);
        FABRICAST_TRY(addPlanMeasurements(request.budget, bench, report));
        return report;
    }
    FABRICAST_ASSIGN(PlanReport report, std::move(searching));
    const std::vector<std::string> found = typedPlans(report);
    report.fixes = targetVerdicts(report, request.targets);
    const Searched done{question, ask, request, *timing, bench};
    const Result<void> rest = addAnswers(done, watch, report);
    if (!rest && rest.error().code != Error::Code::Stopped) {
        return tl::unexpected(rest.error());
    }
    FABRICAST_TRY(addPlanMeasurements(request.budget, bench, report));
    if (rest) {
        FABRICAST_ASSIGN(
            const std::vector<std::string> choosing,
            choosingMeasurements(
                std::move(first), found, report.notes, mostSearches(report.looks), bench, watch));
        addNotes(choosing, report.notes);
        addExpertWaits(report);
        FABRICAST_TRY(addIdleInAll(question, bench, watch, report));
    }
    return report;
}

namespace {

bool isSwept(const Question& question, const std::string& path) {
    return std::ranges::any_of(question.edits, [&path](const Edit& edit) {
        return edit.path == path && edit.origin == "--sweep";
    });
}

/// The keys that are held, those that were typed last first; of a file's dp comes last, which
/// follows from the others where it is open.
std::vector<std::string> heldKeys(const LayoutRules& rules, const Question& question) {
    std::vector<std::string> keys;
    for (auto edit = question.edits.rbegin(); edit != question.edits.rend(); ++edit) {
        constexpr std::string_view kLayoutPart = "layout.";
        const std::string_view path = edit->path;
        if (path.starts_with(kLayoutPart) && rules.fixed.says(path.substr(kLayoutPart.size()))) {
            keys.emplace_back(path.substr(kLayoutPart.size()));
        }
    }
    const std::size_t typed = keys.size();
    for (const std::string& key : rules.fixed.said) {
        if (std::ranges::find(keys, key) == keys.end()) {
            keys.push_back(key);
        }
    }
    const auto ofFile = keys.begin() + static_cast<std::ptrdiff_t>(typed);
    std::stable_partition(ofFile, keys.end(), [](const std::string& key) { return key != "dp"; });
    return keys;
}

/// What to type where no layout is left: another batch, or without the keys that are in the way.
Result<std::string> wayOut(const SearchTask& task,
                           const Question& question,
                           const std::string& batch) {
    const LayoutRules& rules = task.rules;
    if (rules.fixed.said.empty() && std::ranges::none_of(rules.forbidden, &ForbiddenValue::typed)) {
        return batch.empty() ? "another --stack, or another number of GPUs" : batch;
    }
    // Null frees a key whoever holds it: a flag, a scenario or a launch file. A sweep has it anew
    // at every point.
    std::string free;
    std::string swept;
    std::vector<std::string> keys = heldKeys(rules, question);
    FABRICAST_ASSIGN(const std::vector<std::string> inTheWay, keysInTheWay(task, keys));
    for (const std::string& key : inTheWay.empty() ? keys : inTheWay) {
        const std::string path = "layout." + key;
        if (isSwept(question, path)) {
            swept += (swept.empty() ? "leave out --sweep " : " and --sweep ") + path;
        } else {
            free += (free.empty() ? "--set " : " --set ") + path + "=null";
        }
    }
    free += (free.empty() || swept.empty() ? "" : ", or ") + swept;
    const bool helps = !inTheWay.empty() || !swept.empty();
    const std::string other = batch.empty() && !helps ? "another --global-batch" : batch;
    return (free.empty() ? "leave out --forbid" : free) + (other.empty() ? "" : ", or " + other);
}

}  // namespace

Result<void> checkAnyLayout(const PlanReport& report,
                            const Question& question,
                            const Workbench& bench) {
    if (report.stopped || (report.hasLayouts() && !report.refused)) {
        return {};
    }
    FABRICAST_ASSIGN(const SearchRequest request, searchRequest(question, bench));
    FABRICAST_ASSIGN(const std::string batch, otherBatch(request.task));
    if (report.hasLayouts() && batch.empty()) {
        return {};  // the stacks refuse what no other batch mends
    }
    const std::string why = report.rejections.empty() ? std::string()
                                                      : ": " + report.rejections.front().stack +
                                                            ": " + report.rejections.front().why;
    FABRICAST_ASSIGN(std::string hint, wayOut(request.task, question, batch));
    return fail(
        Error::Code::BadInput, "layout", "no stack accepts any layout here" + why, std::move(hint));
}

Error noTable(const PlanReport& report) {
    std::string why;
    for (const PlanRejection& rejection : report.rejections) {
        why += why.empty() ? rejection.why : "; " + rejection.stack + ": " + rejection.why;
    }
    return {Error::Code::Unsupported,
            report.rejections.front().stack,
            std::move(why),
            "-f text, which says what would help"};
}

}  // namespace fabricast
