#include "study/plan.h"

#include "planner/budget/cost_of.h"
#include "planner/memory/memory_of_stages.h"
#include "simulator/network/cluster_topology.h"
#include "study/faster_change.h"
#include "study/memory_fixes.h"
#include "study/search_request.h"
#include "study/search_size.h"
#include "study/second_opinion.h"
#include "study/sensitivity.h"
#include "study/targets.h"
#include "study/typed_plan.h"

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// The best layout of the same question with one thing of it turned, by the same rule.
Result<SearchedOutcome> bestUnder(SearchRequest request,
                                  const TimingProfiles& timing,
                                  const Plan& usual,
                                  const Turn& turn,
                                  const Watch& watch) {
    const Premises turned = turn({request.task.base, timing});
    request.task.base = turned.scenario;
    request.options.top = 1;
    request.options.pareto = false;
    request.options.mostWalked = kMostEventsOfMany;
    FABRICAST_ASSIGN(const PlanReport report, searched(request, turned.timing, watch));
    if (report.plans.empty()) {
        return fail(Error::Code::BadInput, "layout", "no layout fits");
    }
    const Plan& best = report.plans.front();
    const std::string typed = typedPlan(best);
    return SearchedOutcome{.outcome = outcomeOf(best.step, best.memory),
                           .layout = typed == typedPlan(usual) ? "" : typed};
}

/// What a search that was stopped has found.
PlanReport stoppedWith(std::vector<Plan> plans, const SearchRequest& request) {
    PlanReport report{.question = request.task.base, .objective = request.options.objective};
    report.plans = std::move(plans);
    report.plans.resize(std::min(report.plans.size(), request.options.top));
    report.notes = request.assumed;
    report.stopped = true;
    return withCosts(std::move(report), request.budget);
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
    return {};
}

/// What its software can do besides: a search takes the settings as they are.
Result<void> addFaster(const Question& question,
                       const Workbench& bench,
                       const Watch& watch,
                       PlanReport& report) {
    const Plan& best = report.plans.front();
    FABRICAST_ASSIGN(const Question about, questionAbout(question, report.question, best.scenario));
    FABRICAST_ASSIGN(
        report.faster,
        fasterChange(about, best.scenario, best.step, bench, watch, FasterBy::Settings));
    return {};
}

}  // namespace

Result<PlanReport> plan(const Question& question,
                        const PlanAsk& ask,
                        const Workbench& bench,
                        const Watch& watch) {
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(question, bench));
    FABRICAST_TRY(checkSearchSize(request.task.base.model, request.task.base.cluster, kPlanSize));
    FABRICAST_TRY(checkTargets(ask.targets, request.budget));
    const std::size_t shown = request.options.top;
    request.targets = ask.targets;
    if (ask.simulate > 0) {
        FABRICAST_TRY(checkGraphSize(request.task.base.cluster, 1));
    }
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    SearchRequest first = request;
    first.options.pareto = ask.pareto;  // later searches are for the best plan alone
    first.options.top = std::max(shown, ask.simulate);
    std::vector<Plan> soFar;
    first.options.onPlan = [&](std::span<const Plan> plans) {
        soFar.assign(plans.begin(), plans.end());
        if (ask.onPlan) {
            ask.onPlan(plans);
        }
    };
    Result<PlanReport> searching = searched(first, *timing, watch);
    if (!searching && searching.error().code == Error::Code::Stopped && !soFar.empty()) {
        return stoppedWith(std::move(soFar), request);
    }
    FABRICAST_ASSIGN(PlanReport report, std::move(searching));
    if (report.plans.empty() && !report.misses.empty()) {
        FABRICAST_TRY(addMissFixes(question, bench, watch, report));
    }
    if (ask.simulate > 0) {
        FABRICAST_ASSIGN(
            report,
            withSimulations(std::move(report),
                            {.plans = ask.simulate, .shown = shown, .threads = bench.threads()},
                            *timing,
                            request.budget,
                            watch));
    }
    if (!report.plans.empty() && report.objective != PlanObjective::Memory) {
        FABRICAST_TRY(addFaster(question, bench, watch, report));
    }
    if (ask.sensitivity && !report.plans.empty()) {
        const Plan& best = report.plans.front();
        const auto search = [&](const Turn& turn) {
            return bestUnder(request, *timing, best, turn, {.stop = watch.stop});
        };
        FABRICAST_ASSIGN(report.sensitivity, sensitivityOf({best.scenario, *timing}, search));
        FABRICAST_TRY(watch.check());
    }
    if (!ask.targets.empty() || (report.plans.empty() && report.candidates > 0)) {
        FABRICAST_ASSIGN(report.fixes, targetFixes(question, request, report, bench, watch));
    }
    return report;
}

}  // namespace fabricast
