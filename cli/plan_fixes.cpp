#include "cli/plan_fixes.h"

#include "cli/percent_flag.h"
#include "planner/base/quantity_text.h"
#include "planner/budget/cost_of.h"
#include "planner/budget/price_plans.h"
#include "planner/whatif/sensitivity.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

constexpr std::size_t kMostPaired = 6;
constexpr std::size_t kMostOfGroup = 4;
/// A change that comes less nearer is no help.
constexpr double kWorthSaying = 0.99;

constexpr double kDay = 86400.0;

std::optional<double> daysOf(const Plan& plan) {
    return plan.cost && plan.cost->run ? std::optional(plan.cost->run->wall.value.count() / kDay)
                                       : std::nullopt;
}

double valueOf(const Plan& plan, TargetMetric metric) {
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
        worst = std::max(worst, shortfall(target, valueOf(report.plans.front(), target.metric)));
    }
    return worst;
}

/// 0 for what is no number, which no target is.
double numberOf(const std::string& typed) {
    double value = 0.0;
    const char* end = typed.data() + typed.size();
    const auto [stop, trouble] = std::from_chars(typed.data(), end, value);
    return trouble == std::errc() && stop == end && std::isfinite(value) ? value : 0.0;
}

Result<PlanTarget> readTarget(const std::string& typed) {
    const std::size_t equals = typed.find('=');
    const std::string metric = typed.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : typed.substr(equals + 1);
    const std::string where = "--target " + metric;
    if (metric == "step") {
        FABRICAST_ASSIGN(const Seconds step, parseQuantity<Seconds>(value, where));
        return PlanTarget{TargetMetric::StepSeconds, step.count()};
    }
    if (metric == "tokens-per-s") {
        FABRICAST_ASSIGN(const Tokens tokens, parseQuantity<Tokens>(value, where));
        return PlanTarget{TargetMetric::TokensPerSecond, static_cast<double>(tokens.count())};
    }
    if (metric == "mfu") {
        FABRICAST_ASSIGN(const double share, percentOf(value, where));
        return PlanTarget{TargetMetric::Mfu, share};
    }
    if (metric == "days") {
        return PlanTarget{TargetMetric::Days, numberOf(value)};
    }
    return fail(Error::Code::BadInput,
                "--target",
                "\"" + typed + "\" is no target",
                "tokens-per-s=1.2M, step=2.5s, mfu=45% or days=30");
}

/// Moves that were applied together, and what came of them.
struct Tried {
    std::vector<const PlanMove*> moves;
    double shortfall = 0.0;
    PlanFix fix;

    [[nodiscard]] int effort() const {
        int sum = 0;
        for (const PlanMove* move : moves) {
            sum += move->effort + 1;
        }
        return sum;
    }
    [[nodiscard]] auto order() const {
        return std::tuple(!fix.reaches, fix.reaches ? effort() : 0, shortfall);
    }
};

class FixFinder {
public:
    FixFinder(const FixBench& bench, const std::vector<PlanTarget>& targets, double now)
        : bench_(bench), targets_(targets), now_(now) {}

    std::vector<Tried> singles(const std::vector<PlanMove>& moves) {
        std::vector<Tried> found;
        for (const PlanMove& move : moves) {
            tryOut({&move}, now_, found);
        }
        sort(found);
        return found;
    }

    /// Of moves that help alone, two of different kinds.
    std::vector<Tried> pairs(const std::vector<Tried>& singles) {
        std::vector<Tried> found;
        const std::size_t count = std::min(singles.size(), kMostPaired);
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = i + 1; j < count; ++j) {
                // In the order of the list: where both say the nodes, more of them wins.
                const PlanMove* first = singles[i].moves.front();
                const PlanMove* second = singles[j].moves.front();
                if (second < first) {
                    std::swap(first, second);
                }
                if (first->kind != second->kind) {
                    tryOut({first, second},
                           std::min(singles[i].shortfall, singles[j].shortfall),
                           found);
                }
            }
        }
        sort(found);
        return found;
    }

    [[nodiscard]] int tried() const { return tried_; }

private:
    static void sort(std::vector<Tried>& found) {
        std::ranges::stable_sort(
            found, [](const Tried& a, const Tried& b) { return a.order() < b.order(); });
    }

    /// Kept where it comes nearer than `before`.
    void tryOut(std::vector<const PlanMove*> moves, double before, std::vector<Tried>& found) {
        PlanFlags flags = bench_.flags;
        GlobalOptions options = bench_.options;
        Tried tried{.moves = std::move(moves)};
        for (const PlanMove* move : tried.moves) {
            move->apply(flags, options);
            tried.fix.group = std::max(tried.fix.group, move->group);
            tried.fix.sideEffect += (tried.fix.sideEffect.empty() ? "" : "; ") + move->sideEffect;
        }
        tried.fix.change = typedText(tried.moves);
        ++tried_;
        Result<PlanQuestion> question = planQuestion(flags, options, bench_.profiles);
        if (!question) {
            return;
        }
        question->options.top = 1;
        question->options.suggestFixes = false;
        Result<PlanReport> report = findPlans(question->task, bench_.timing, question->options);
        if (!report || report->candidates == 0) {
            return;
        }
        *report = withCosts(*std::move(report), question->budget);
        tried.shortfall = shortfall(*report, targets_);
        if (tried.shortfall >= before * kWorthSaying) {
            return;
        }
        addOutcome(*report, tried);
        found.push_back(std::move(tried));
    }

    /// Of the best plan, or the memory of what comes nearest to fitting.
    static void addOutcome(const PlanReport& report, Tried& tried) {
        const Plan& plan = report.plans.empty() ? report.misses.front() : report.plans.front();
        tried.fix.reaches = !report.plans.empty() && tried.shortfall <= 1.0;
        tried.fix.outcome = outcomeOf(plan.step, plan.memory);
        tried.fix.tokensPerSecond = plan.step.tokensPerSecond;
        tried.fix.mfu = plan.step.utilisation.mfu;
        tried.fix.days = daysOf(plan);
        if (plan.cost && plan.cost->perMtok) {
            tried.fix.usdPerMtok = plan.cost->perMtok->value.count();
        }
        tried.fix.gpus = plan.scenario.layout.world();
        tried.fix.layout = typedPlan(plan);
    }

    const FixBench& bench_;
    const std::vector<PlanTarget>& targets_;
    double now_;
    int tried_ = 0;
};

/// In each group what reaches the targets; where nothing does, what comes nearest.
void addGroup(FixGroup group, const std::vector<Tried>& found, PlanFixes& fixes) {
    std::size_t taken = 0;
    bool reached = false;
    for (const Tried& one : found) {
        if (one.fix.group != group || taken == kMostOfGroup || (reached && !one.fix.reaches)) {
            continue;
        }
        reached = reached || one.fix.reaches;
        fixes.fixes.push_back(one.fix);
        ++taken;
    }
}

}  // namespace

Result<std::vector<PlanTarget>> readTargets(const std::vector<std::string>& typed) {
    std::vector<PlanTarget> targets;
    for (const std::string& one : typed) {
        FABRICAST_ASSIGN(const PlanTarget target, readTarget(one));
        if (!(target.wanted > 0.0)) {
            return fail(Error::Code::BadInput, "--target", "\"" + one + "\" must be above 0");
        }
        targets.push_back(target);
    }
    return targets;
}

Result<void> checkTargets(const std::vector<PlanTarget>& targets, const BudgetFacts& budget) {
    const bool asksForDays = std::ranges::any_of(
        targets, [](const PlanTarget& target) { return target.metric == TargetMetric::Days; });
    if (asksForDays && !budget.tokens) {
        return fail(Error::Code::BadInput,
                    "--target days",
                    "nobody has said how many tokens the run trains on",
                    "--tokens 1T");
    }
    return {};
}

bool meetsTargets(const Plan& plan,
                  const std::vector<PlanTarget>& targets,
                  const BudgetFacts& budget) {
    if (targets.empty()) {
        return true;
    }
    Plan costed = plan;
    costed.cost = costOf(plan.scenario, costedStep(plan.scenario, plan.step), budget);
    return std::ranges::all_of(targets, [&costed](const PlanTarget& target) {
        return shortfall(target, valueOf(costed, target.metric)) <= 1.0;
    });
}

PlanFixes planFixes(const FixBench& bench,
                    const PlanReport& report,
                    const std::vector<PlanTarget>& targets) {
    PlanFixes fixes;
    for (const PlanTarget& target : targets) {
        TargetVerdict verdict{.target = target};
        if (!report.plans.empty()) {
            verdict.reached = valueOf(report.plans.front(), target.metric);
            verdict.isMet = shortfall(target, *verdict.reached) <= 1.0;
        }
        fixes.targets.push_back(verdict);
    }
    const auto question = planQuestion(bench.flags, bench.options, bench.profiles);
    if (!question || (!report.plans.empty() && fixes.allMet())) {
        return fixes;
    }
    const std::vector<PlanMove> moves = planMoves(bench.flags, *question, bench.profiles);
    FixFinder finder(bench, targets, shortfall(report, targets));
    std::vector<Tried> found = finder.singles(moves);
    if (found.empty() || !found.front().fix.reaches) {
        for (Tried& pair : finder.pairs(found)) {
            found.push_back(std::move(pair));
        }
        std::ranges::stable_sort(
            found, [](const Tried& a, const Tried& b) { return a.order() < b.order(); });
    }
    for (const FixGroup group : {FixGroup::Free, FixGroup::Workload, FixGroup::Buy}) {
        addGroup(group, found, fixes);
    }
    fixes.tried = finder.tried();
    return fixes;
}

}  // namespace fabricast
