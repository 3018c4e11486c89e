#include "study/targets.h"

#include "planner/base/quantity_text.h"
#include "planner/budget/cost_of.h"
#include "study/changes.h"
#include "study/find_changes.h"
#include "study/finish_changes.h"
#include "study/fits_as_surely.h"
#include "study/held_plan.h"
#include "study/metric_words.h"
#include "study/sensitivity.h"
#include "study/typed_plan.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

/// What the search for what would help walks through at least, however much that for plans took.
constexpr std::int64_t kLeastForFixes = kMostEventsWalked / 4;

std::optional<double> daysOf(const Plan& plan) {
    return plan.cost && plan.cost->run
               ? std::optional(plan.cost->run->wall.value.count() / kSecondsPerDay)
               : std::nullopt;
}

double metricOf(const Plan& plan, TargetMetric metric) {
    switch (metric) {
        case TargetMetric::TokensPerSecond:
            return plan.step.tokensPerSecond;
        case TargetMetric::StepSeconds:
            return plan.step.step.value.count();
        case TargetMetric::Mfu:
            return plan.step.utilisation.mfu.value_or(0.0);
        case TargetMetric::Days:
            return daysOf(plan).value_or(std::numeric_limits<double>::max());
    }
    return 0.0;
}

/// How many times more is needed; 1 or less: it is reached.
double shortfall(const PlanTarget& target, double value) {
    const bool less =
        target.metric == TargetMetric::StepSeconds || target.metric == TargetMetric::Days;
    return less ? value / target.wanted : target.wanted / std::max(value, 1e-300);
}

/// Of the worst target. What does not fit is farther away than anything that does.
double shortfall(const PlanReport& report, const std::vector<PlanTarget>& targets) {
    constexpr double kDoesNotFit = 1e6;
    if (report.plans.empty()) {
        return report.misses.empty() ? std::numeric_limits<double>::max()
                                     : kDoesNotFit * (report.misses.front().memory.peak.value /
                                                      report.misses.front().memory.capacity);
    }
    double worst = targets.empty() ? 1.0 : 0.0;
    for (const PlanTarget& target : targets) {
        worst = std::max(worst, shortfall(target, metricOf(report.plans.front(), target.metric)));
    }
    return worst;
}

/// Whether an optimizer steps on weights of 32 bits: its own copy, or the framework's.
bool stepsInFp32(const PrecisionSettings& precision) {
    return precision.parameters == Dtype::Fp32 || precision.masterWeights ||
           precision.masterRemainder;
}

/// What of the numbers that are kept a change narrows, beside what it says itself: another stack
/// may keep others.
std::string narrowerStates(const Scenario& then, const SearchRequest& asked) {
    if (then.settings.tuning != Tuning::Full || asked.task.stacks.empty()) {
        return "";
    }
    const StackSettings& first = asked.task.stacks.front();
    Result<Settings> usual = first.settingsFor(then.layout);
    usual = usual ? usual : first.settingsFor({});  // another stack's layout
    if (!usual || usual->tuning != Tuning::Full) {
        return "";
    }
    const PrecisionSettings& before = usual->precision;
    const PrecisionSettings& after = then.settings.precision;
    const bool weights = stepsInFp32(before) && !stepsInFp32(after);
    const bool moments = before.moments == Dtype::Fp32 && after.moments != Dtype::Fp32;
    if (!weights && !moments) {
        return "";
    }
    return std::string(weights && moments ? "weights and moments"
                       : weights          ? "weights"
                                          : "moments") +
           " are kept in " + std::string(nameOf(weights ? after.parameters : after.moments)) +
           " alone: check convergence";
}

/// What a search found for the keys of the layout that are not fixed any more: "recompute=full".
std::string foundFor(const std::vector<Edit>& edits, const std::string& layout) {
    constexpr std::string_view kPrefix = "layout.";
    std::string found;
    for (const Edit& edit : edits) {
        if (edit.value != "null" || !edit.path.starts_with(kPrefix)) {
            continue;
        }
        const std::string key = edit.path.substr(kPrefix.size()) + "=";
        std::size_t at = layout.find(',' + key);
        at = at == std::string::npos ? layout.find(' ' + key) : at;
        if (at != std::string::npos) {
            const std::string_view said = std::string_view(layout).substr(at + 1);
            found += (found.empty() ? "" : ", ") + std::string(said.substr(0, said.find(',')));
        }
    }
    return found;
}

/// What a node then needs beside its GPUs: "needs 406 GiB of host memory a node, which is not
/// known".
std::string nodeNeeds(const MemoryBreakdown& memory) {
    std::string text;
    for (const HostNeed* need : {&memory.host, &memory.drives}) {
        if (need->perNode > HostNeed::kSurelyThere) {
            text += (text.empty() ? "needs " : " and ") + shortText(need->perNode) + " of " +
                    std::string(need->what) + " a node" +
                    (need->there ? "" : ", which is not known");
        }
    }
    return text;
}

/// Of the best plan, or the memory of what comes nearest to fitting.
PlanFix planFix(const Question& question,
                const TriedChange& tried,
                const std::vector<Edit>& held,
                const SearchRequest& asked) {
    const Plan& plan = tried.judgement.plan;
    PlanFix fix{.group = tried.group(),
                .change = tried.title() + (held.empty() ? "" : " " + typed(held)),
                .behind = tried.titleBehind(question) +
                          (held.empty() ? "" : " " + typedBehind(question, held)),
                .edits = tried.edits(),
                .reaches = tried.judgement.reaches,
                .outcome = outcomeOf(plan.step, plan.memory),
                .tokensPerSecond = plan.step.tokensPerSecond,
                .mfu = plan.step.utilisation.mfu,
                .days = daysOf(plan),
                .gpus = plan.scenario.layout.world(),
                .layout = typedPlan(plan)};
    fix.edits.insert(fix.edits.begin(), held.begin(), held.end());
    fix.typed = typedBehind(question, fix.edits);
    fix.sideEffect = sideEffectsOf(tried.changes);
    if (const std::string found = foundFor(fix.edits, fix.layout); !found.empty()) {
        fix.sideEffect += (fix.sideEffect.empty() ? "found: " : "; found: ") + found;
    }
    for (const std::string& more : {narrowerStates(plan.scenario, asked), nodeNeeds(plan.memory)}) {
        fix.sideEffect += (fix.sideEffect.empty() || more.empty() ? "" : "; ") + more;
    }
    fix.usdPerMtok = dollarsPerMtok(plan);
    return fix;
}

/// Searches a changed question as the question was searched: of the rows only the first counts,
/// which is the same however many are wanted. What the question has already, or what comes nearest,
/// is tried first: a search that is cut short finds no worse.
class TargetJudge {
public:
    TargetJudge(const SearchRequest& asked,
                const Plan* now,
                const Workbench& bench,
                std::size_t threads,
                const Watch& watch)
        : asked_(asked), now_(now), bench_(bench), threads_(threads), watch_(watch) {}

    Result<Judgement> operator()(const Question& changed, std::int64_t mostWalked) const {
        FABRICAST_ASSIGN(SearchRequest request, searchRequest(changed, bench_));
        request.options.top = request.parts ? request.options.top : 1;
        request.options.misses = 1;
        request.options.threads = threads_;
        request.targets = asked_.targets;
        request.options.mostWalked = mostWalked;
        FABRICAST_ASSIGN(const TimingProfiles* timing, bench_.timing());
        FABRICAST_ASSIGN(PlanReport report, searched(request, *timing, {.stop = watch_.stop}));
        if (now_ != nullptr && !report.cutShort.empty() && !request.parts) {
            FABRICAST_ASSIGN(const HeldPlan held, heldPlan(*now_, request.task, *timing, watch_));
            report = withHeld(std::move(report), held.plan, request.options);
            report = withCosts(std::move(report), request.budget);
            report.walked += held.walked;
        }
        if (report.candidates == 0) {
            return fail(Error::Code::Unsupported, "layout", "no stack takes any layout");
        }
        if (report.isNotModelled()) {
            return fail(Error::Code::Unsupported, "layout", "it is not modelled");
        }
        const double distance = shortfall(report, asked_.targets);
        std::vector<Plan>& best = report.plans.empty() ? report.misses : report.plans;
        if (best.empty()) {
            return fail(Error::Code::Unsupported, "layout", "nothing comes near");
        }
        return Judgement{.distance = distance,
                         .reaches = !report.plans.empty() && distance <= 1.0 &&
                                    fitsAsSurely(best.front().memory.verdict, sureness()),
                         .plan = std::move(best.front()),
                         .walked = report.walked,
                         .isCut = !report.cutShort.empty()};
    }

private:
    /// Of the question as it is.
    [[nodiscard]] Verdict sureness() const {
        return now_ == nullptr ? Verdict::DoesNotFit : now_->memory.verdict;
    }

    const SearchRequest& asked_;
    const Plan* now_;  ///< of the question as it is, or its nearest miss
    const Workbench& bench_;
    std::size_t threads_;  ///< of one search
    const Watch& watch_;
};

std::vector<TargetVerdict> verdictsOn(const PlanReport& report,
                                      const std::vector<PlanTarget>& targets) {
    std::vector<TargetVerdict> verdicts;
    for (const PlanTarget& target : targets) {
        TargetVerdict verdict{.target = target};
        if (!report.plans.empty()) {
            verdict.reached = metricOf(report.plans.front(), target.metric);
            verdict.isMet = shortfall(target, *verdict.reached) <= 1.0;
            const Utilisation& use = report.plans.front().step.utilisation;
            verdict.of = target.metric == TargetMetric::Mfu && use.mfu
                             ? shortText(use.peak) + " " + use.peakType
                             : "";
        }
        verdicts.push_back(verdict);
    }
    return verdicts;
}

/// What is not modelled stays so with another size of the batch, the sequence or the cluster.
bool changesSizesAlone(const Change& change) {
    constexpr std::array<std::string_view, 4> kSizes = {
        "cluster.nodes", "cluster.gpus", "workload.sequence", "workload.global_batch"};
    return std::ranges::all_of(change.edits, [&kSizes](const Edit& edit) {
        return std::ranges::find(kSizes, edit.path) != kSizes.end();
    });
}

/// MFU is a share of one peak, whatever the products are in: narrower ones are no better use of it.
bool changesPrecision(const Change& change) {
    return std::ranges::any_of(change.edits,
                               [](const Edit& edit) { return edit.path == "workload.precision"; });
}

/// One of each group in turn: where not all can be tried, some of each are.
std::vector<Change> inTurns(const std::vector<Change>& changes) {
    std::map<FixGroup, std::size_t> seen;
    std::vector<std::pair<std::size_t, Change>> turns;
    for (const Change& change : changes) {
        turns.emplace_back(seen[change.group]++, change);
    }
    std::ranges::stable_sort(turns, {}, &std::pair<std::size_t, Change>::first);
    std::vector<Change> ordered;
    for (auto& [turn, change] : turns) {
        ordered.push_back(std::move(change));
    }
    return ordered;
}

/// What cannot be a way there is not tried.
std::vector<Change> waysTo(const SearchRequest& request,
                           std::vector<Change> changes,
                           bool isNotModelled) {
    if (isNotModelled) {
        std::erase_if(changes, &changesSizesAlone);
    }
    if (std::ranges::find(request.targets, TargetMetric::Mfu, &PlanTarget::metric) !=
        request.targets.end()) {
        std::erase_if(changes, &changesPrecision);
    }
    return changes;
}

/// What holds the batch, where the changes alone would make it another.
Result<std::vector<Edit>> batchBeside(const TriedChange& tried,
                                      const Question& question,
                                      const std::vector<Edit>& held,
                                      const Workbench& bench) {
    FABRICAST_ASSIGN(const Question alone, with(question, tried.edits()));
    const Result<SearchRequest> request = searchRequest(alone, bench);
    const bool isSame = request && request->task.base.workload.globalBatch ==
                                       tried.judgement.plan.scenario.workload.globalBatch;
    return isSame ? std::vector<Edit>() : held;
}

/// The question of a search, with what its nearest miss does beside its steps: where nothing fits,
/// that may be what is too large.
Scenario subjectOf(const SearchRequest& request, const PlanReport& report) {
    Scenario now = request.task.base;
    if (report.plans.empty() && !report.misses.empty()) {
        now.settings.phases = report.misses.front().scenario.settings.phases;
    }
    return now;
}

/// Of a question without a plan and without targets a change has the least distance where anything
/// may fit: what has it already does not come nearer.
bool isNearest(const SearchRequest& request, double distance, double worth) {
    return request.targets.empty() && distance * worth <= 1.0;
}

std::vector<std::string> namesOf(const std::vector<StackSettings>& stacks) {
    std::vector<std::string> names;
    for (const StackSettings& one : stacks) {
        names.emplace_back(one.stack->name);
    }
    return names;
}

}  // namespace

bool meetsTargets(const Plan& plan,
                  const std::vector<PlanTarget>& targets,
                  const BudgetFacts& budget) {
    if (targets.empty()) {
        return true;
    }
    Plan costed = plan;
    costed.cost = costOf(plan.scenario, costedStep(plan.scenario, plan.step), budget);
    return std::ranges::all_of(targets, [&costed](const PlanTarget& target) {
        return shortfall(target, metricOf(costed, target.metric)) <= 1.0;
    });
}

bool isTargetOfStep(std::string_view typed) {
    return typed.starts_with("step") || typed.starts_with("mfu");
}

std::optional<double> dollarsPerMtok(const Plan& plan) {
    const bool known = plan.cost && plan.cost->perMtok;
    return known ? std::optional(plan.cost->perMtok->value.count()) : std::nullopt;
}

std::optional<PlanFixes> targetVerdicts(const PlanReport& report,
                                        const std::vector<PlanTarget>& targets) {
    return targets.empty() ? std::nullopt
                           : std::optional(PlanFixes{.targets = verdictsOn(report, targets)});
}

Result<TargetFixes> targetFixes(const Question& question,
                                const SearchRequest& request,
                                const PlanReport& report,
                                const Workbench& bench,
                                const Watch& watch) {
    PlanFixes fixes{.targets = verdictsOn(report, request.targets)};
    if (!report.plans.empty() && fixes.allMet()) {
        return TargetFixes{.fixes = std::move(fixes)};
    }
    // So many samples of each rank stay as many in all: a step does the same work.
    const std::vector<Edit> held = says(question, "workload.global_batch")
                                       ? heldBatch(question, request.task.base.workload.globalBatch)
                                       : std::vector<Edit>();
    FABRICAST_ASSIGN(const Question asked, with(question, held));
    const Scenario subject = subjectOf(request, report);
    const std::vector<Change> changes = waysTo(request,
                                               changesFor(Aim::Target,
                                                          {.question = asked,
                                                           .now = subject,
                                                           .stacks = namesOf(request.task.stacks),
                                                           .rules = &request.task.rules,
                                                           .profiles = &bench.profiles()}),
                                               report.isNotModelled());
    const int most = 1'000'000;
    ChangeSearch search{.before = shortfall(report, request.targets),
                        .order = ChangeOrder::LeastEffort,
                        .tries = most,
                        .walksLeft = std::max(kMostEventsWalked - report.walked, kLeastForFixes),
                        .threads = bench.threads()};
    const Plan* const now = !report.plans.empty()    ? report.plans.data()
                            : !report.misses.empty() ? report.misses.data()
                                                     : nullptr;
    const TargetJudge searches(request, now, bench, 1, watch);
    const auto judge = [&](const Question& changed, double before) -> Result<Judgement> {
        if (isNearest(request, before, search.worth)) {
            return fail(Error::Code::Unsupported, "layout", "nothing comes nearer");
        }
        return searches(changed, std::min(kMostEventsOfMany, search.walksLeft));
    };
    FABRICAST_ASSIGN(std::vector<TriedChange> found,
                     findChanges(asked, inTurns(changes), judge, search, watch));
    FABRICAST_ASSIGN(std::vector<TriedChange> pairs,
                     findFreePairsFirst(asked, found, judge, search, watch));
    std::ranges::move(pairs, std::back_inserter(found));
    const TargetJudge inFull(request, now, bench, bench.threads(), watch);
    FABRICAST_ASSIGN(const std::vector<TriedChange> shown,
                     finished(asked, std::move(found), inFull, search, watch));
    for (const TriedChange& one : shown) {
        FABRICAST_ASSIGN(const std::vector<Edit> beside, batchBeside(one, question, held, bench));
        fixes.fixes.push_back(planFix(question, one, beside, request));
    }
    fixes.tried = most - search.tries;
    return TargetFixes{.fixes = std::move(fixes), .cutShort = cutShortText(shown, search)};
}

}  // namespace fabricast
