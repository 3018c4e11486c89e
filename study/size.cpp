#include "study/size.h"

#include "planner/load/load_question.h"
#include "planner/report/memory_report.h"
#include "study/rent_or_buy.h"
#include "study/search_request.h"
#include "study/search_size.h"
#include "study/size_search.h"
#include "study/size_verdicts.h"
#include "study/typed_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

/// How surely its plans fit: as surely as the least sure of them.
std::string fitOf(const SizedCluster& one) {
    Verdict least = Verdict::Fits;
    for (const Plan& plan : one.plans) {
        least = std::max(least, plan.memory.verdict);
    }
    return std::string(fitText(least));
}

std::vector<ScalingPoint> scalingOf(const SizeSearch& search, std::size_t line) {
    std::vector<ScalingPoint> points;
    for (std::size_t i = 0; i < search.found().size(); ++i) {
        const SizedCluster& one = search.found()[i];
        const bool isShown = search.isOfCatalogue(i) || i == search.pick();
        if (search.lineOf(i) == line && isShown) {
            points.push_back({.nodes = one.nodes,
                              .gpus = one.gpus,
                              .why = one.plans.empty() ? one.why
                                     : one.fits        ? ""
                                                       : fitOf(one),
                              .tokensPerSecond = one.fits ? one.tokensPerSecond : 0.0});
        }
    }
    std::ranges::sort(points, {}, &ScalingPoint::gpus);
    const ScalingPoint* before = nullptr;
    for (ScalingPoint& point : points) {
        if (!point.why.empty()) {
            continue;
        }
        if (before != nullptr) {
            const double added = (point.tokensPerSecond - before->tokensPerSecond) /
                                 static_cast<double>(point.gpus - before->gpus);
            point.ofAdded = added / (before->tokensPerSecond / static_cast<double>(before->gpus));
        }
        before = &point;
    }
    return points;
}

/// The count with the most tokens per second, where larger ones were searched.
std::optional<std::int64_t> mostUsefulOf(const std::vector<ScalingPoint>& points) {
    const auto most = std::ranges::max_element(points, {}, &ScalingPoint::tokensPerSecond);
    if (most == points.end() || !most->why.empty()) {
        return std::nullopt;
    }
    const bool isKnown = std::any_of(
        most + 1, points.end(), [](const ScalingPoint& more) { return more.why.empty(); });
    return isKnown ? std::optional(most->nodes) : std::nullopt;
}

/// Of those found that `isWanted`, the best by an aim.
template <class IsWanted>
std::optional<SizedCluster> bestFound(const SizeSearch& search, SizeAim aim, IsWanted isWanted) {
    const SizedCluster* best = nullptr;
    for (const SizedCluster& one : search.found()) {
        if (isWanted(one) && (best == nullptr || isBetter(one, *best, aim))) {
            best = &one;
        }
    }
    return best == nullptr ? std::nullopt : std::optional(*best);
}

/// By target the cluster that comes closest; of one that is reached alone it reaches it.
Result<void> findAllNearest(SizeSearch& search, const SizeAsk& ask, const Watch& watch) {
    watch.say("what comes nearest");
    for (const SizeTarget& target : ask.targets) {
        FABRICAST_TRY(search.findNearest(target));
    }
    return {};
}

Result<void> searchCatalogue(SizeSearch& search, const SizeAsk& ask, const Watch& watch) {
    watch.say("the least hardware");
    FABRICAST_TRY(search.findLeast());
    if (!search.pick()) {
        return findAllNearest(search, ask, watch);
    }
    FABRICAST_TRY(search.findSurest());
    if (search.found()[*search.pick()].nodes > 1) {
        FABRICAST_TRY(search.findSingleNodes());
    }
    watch.say("how it scales");
    return search.findLine(search.lineOf(*search.pick()));
}

void addNearest(const SizeSearch& search, SizeAnswer& answer) {
    for (const SizeTarget& target : answer.targets) {
        const std::optional<std::size_t> place = search.nearestTo(target);
        if (!place) {
            continue;
        }
        const SizedCluster& one = search.found()[*place];
        if (const auto value = valueOf(one, target.metric)) {
            answer.nearest.push_back({target, one, value->value, missRatio(one, target)});
        }
    }
}

/// Clusters beside the pick that are worth a look.
void addAround(const SizeSearch& search, SizeAnswer& answer) {
    constexpr double kTenthMore = 1.1;
    const SizedCluster& pick = *answer.pick;
    answer.tenthFaster = bestFound(search, SizeAim::Cost, [&pick](const SizedCluster& one) {
        return one.meetsTargets && one.usd && one.seconds * kTenthMore <= pick.seconds;
    });
    if (pick.nodes > 1) {
        answer.oneNode = bestFound(search, answer.aim, [](const SizedCluster& one) {
            return one.meetsTargets && one.nodes == 1;
        });
    }
    if (!pick.isSure()) {
        answer.surest = bestFound(search, answer.aim, [](const SizedCluster& one) {
            return one.meetsTargets && one.isSure();
        });
    }
}

void addPick(const SizeSearch& search, const BudgetFacts& budget, SizeAnswer& answer) {
    if (!search.pick()) {
        addNearest(search, answer);
        return;
    }
    answer.pick = search.found()[*search.pick()];
    for (const std::size_t place : search.front()) {
        answer.front.push_back(search.found()[place]);
    }
    addAround(search, answer);
    answer.scaling = scalingOf(search, search.lineOf(*search.pick()));
    answer.mostUseful = mostUsefulOf(answer.scaling);
    const Plan& plan = answer.pick->plans.front();
    answer.rentOrBuy = rentOrBuy(plan, budget);
    answer.spares = sparesOf(answer.pick->gpus, budget);
    if (answer.spares && answer.pick->usd) {
        answer.spares->usd = *answer.pick->usd * static_cast<double>(answer.spares->nodes) /
                             static_cast<double>(answer.pick->nodes);
    }
}

/// What a refusal is true of.
void addCounts(const SizeSearch& search, const SizeAsk& ask, SizeAnswer& answer) {
    answer.isCapped = ask.mostGpus || ask.racks || ask.powerCap;
    if (answer.pick || !hasOpenCounts(ask)) {
        return;
    }
    std::set<std::int64_t> counts;
    for (const SizeCandidate& one : search.candidates()) {
        counts.insert(one.amount.nodes);
    }
    answer.counts.assign(counts.begin(), counts.end());
}

/// What to ask about the pick: everything of its plan.
Result<void> addPickTyped(const Question& job,
                          const SizeCatalogue& catalogue,
                          const SizeSearch& search,
                          SizeAnswer& answer) {
    if (!answer.pick) {
        return {};
    }
    const SizeLine& line = catalogue.lines[search.lineOf(*search.pick())];
    FABRICAST_ASSIGN(const Question here,
                     jobOn(job, line, {answer.pick->nodes, answer.pick->gpus}));
    const Scenario& plan = answer.pick->plans.front().scenario;
    FABRICAST_ASSIGN(const Question about, questionAbout(here, plan, plan));
    answer.pickTyped = typed(about);
    return {};
}

/// What became of the boxes that were named and are not among the best.
Result<void> addBeaten(std::span<const Question> jobs,
                       const SizeAsk& ask,
                       const SizeCatalogue& catalogue,
                       const Workbench& bench,
                       const Watch& watch,
                       SizeSearch& search,
                       SizeAnswer& answer) {
    if (!search.pick() || answer.stopped) {
        return {};
    }
    watch.say("the best of the others");
    auto beaten = sizeBeaten(jobs, ask, catalogue, bench, watch, search);
    answer.stopped = !beaten && beaten.error().code == Error::Code::Stopped;
    if (answer.stopped) {
        return {};
    }
    FABRICAST_ASSIGN(answer.beaten, std::move(beaten));
    return {};
}

/// What else there is where nothing of the catalogue will do.
Result<void> addBeyond(std::span<const Question> jobs,
                       const SizeAsk& ask,
                       const SizeCatalogue& catalogue,
                       const Workbench& bench,
                       const Watch& watch,
                       SizeWork& work,
                       SizeAnswer& answer) {
    if (answer.pick || answer.stopped) {
        return {};
    }
    watch.say("what would reach it");
    FABRICAST_ASSIGN(answer.ways, sizeWays(jobs, ask, bench, watch, work));
    if (answer.nearest.empty()) {
        FABRICAST_ASSIGN(answer.misfits, sizeMisfits(jobs, catalogue, bench, watch, work));
    }
    return {};
}

/// A model that is too large for every search is an error, as it is to one search.
Result<void> checkModelSizes(std::span<const Question> jobs,
                             const SizeCatalogue& catalogue,
                             const Workbench& bench) {
    if (catalogue.lines.empty()) {
        return {};
    }
    const SizeLine& line = catalogue.lines.front();
    for (const Question& job : jobs) {
        FABRICAST_ASSIGN(const Question here, jobOn(job, line, nodesOf(line, 1)));
        FABRICAST_ASSIGN(const SearchRequest request, searchRequest(here, bench));
        const Scenario& base = request.task.base;
        FABRICAST_TRY(checkSearchSize(base.model, base.cluster, kPlanSize));
    }
    return {};
}

/// The jobs, of which owned GPUs are written off over the years and the use that are asked for.
Result<std::vector<Question>> withOwnership(std::span<const Question> jobs, const SizeAsk& ask) {
    std::vector<Edit> edits;
    if (ask.years) {
        edits.push_back({"price.years", fmt::format("{}", *ask.years), "--set"});
    }
    if (ask.utilisation) {
        edits.push_back({"price.utilisation", fmt::format("{}", *ask.utilisation), "--set"});
    }
    std::vector<Question> owned;
    for (const Question& job : jobs) {
        FABRICAST_ASSIGN(Question one, with(job, edits));
        owned.push_back(std::move(one));
    }
    return owned;
}

/// The best that any cluster could be, by its bound.
void addBounds(const SizeCatalogue& catalogue, SizeAnswer& answer) {
    answer.leastSeconds = std::numeric_limits<double>::max();
    for (const SizeCandidate& one : catalogue.candidates) {
        const SizeBound& bound = one.bound;
        answer.mostTokensPerSecond = std::max(answer.mostTokensPerSecond, bound.tokensPerSecond);
        answer.leastSeconds = std::min(answer.leastSeconds, bound.seconds);
        if (bound.usd) {
            answer.leastUsd = std::min(answer.leastUsd.value_or(*bound.usd), *bound.usd);
        }
    }
}

}  // namespace

Result<SizeAnswer> size(std::span<const Question> asked,
                        const SizeAsk& wanted,
                        const Workbench& bench,
                        const Watch& watch) {
    FABRICAST_TRY(checkSizeJobs(asked, wanted));
    FABRICAST_ASSIGN(const std::vector<Question> jobs, withOwnership(asked, wanted));
    FABRICAST_ASSIGN(const BudgetFacts budget,
                     loadBudget(jobs.front().root, bench.profiles(), jobs.front().folders));
    watch.say("the catalogue");
    FABRICAST_ASSIGN(const SizeCatalogue catalogue, sizeCatalogue(jobs, wanted, bench));
    const SizeAsk& ask = catalogue.ask;
    FABRICAST_TRY(checkModelSizes(jobs, catalogue, bench));
    SizeAnswer answer{.targets = ask.targets, .aim = aimOf(ask), .priceKind = budget.kind};
    answer.leftOut = catalogue.leftOut;
    answer.jobs = catalogue.jobs;
    answer.hasTokens = catalogue.hasTokens;
    SizeWork work = workFor(watch);
    SizeSearch search(jobs, ask, catalogue, bench, watch, work);
    const Result<void> done = searchCatalogue(search, ask, watch);
    answer.stopped = !done && done.error().code == Error::Code::Stopped && !search.found().empty();
    if (!answer.stopped) {
        FABRICAST_TRY(done);
    }
    FABRICAST_TRY(addBeaten(jobs, ask, catalogue, bench, watch, search, answer));
    answer.clusters = static_cast<std::int64_t>(search.candidates().size());
    answer.searched = search.tried();
    answer.notSearched = search.notSearched();
    answer.ruledOut = answer.clusters - answer.searched;
    for (const NotSearched& one : answer.notSearched) {
        answer.ruledOut -= one.clusters;
    }
    addPick(search, budget, answer);
    addCounts(search, ask, answer);
    FABRICAST_TRY(addPickTyped(jobs.front(), catalogue, search, answer));
    answer.cutShort = work.isCutShort;
    const Result<void> beyond = addBeyond(jobs, ask, catalogue, bench, watch, work, answer);
    answer.stopped = answer.stopped || (!beyond && beyond.error().code == Error::Code::Stopped);
    if (!answer.stopped) {
        FABRICAST_TRY(beyond);
    }
    answer.waysCutShort = work.isCutShort && !answer.cutShort;
    addBounds(catalogue, answer);
    FABRICAST_ASSIGN(answer.notes, sizeNotes(jobs, ask, catalogue, answer, bench));
    return answer;
}

}  // namespace fabricast
