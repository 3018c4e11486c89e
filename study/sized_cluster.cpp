#include "study/sized_cluster.h"

#include "planner/base/quantity_text.h"
#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/plan_views.h"
#include "planner/search/distinct_plans.h"
#include "study/search_request.h"
#include "study/search_size.h"
#include "study/size_verdicts.h"
#include "study/unit_sizes.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

constexpr double kMtok = 1e6;

std::string whyNoPlan(const PlanReport& report) {
    if ((report.isNotModelled() || report.refused) && !report.rejections.empty()) {
        return (report.isNotModelled() ? "not modelled: " : "") + report.rejections.front().why;
    }
    return report.candidates == 0 ? "no stack takes any layout"
                                  : "no layout fits" + unmodelledText(report);
}

/// Rounding decides nothing.
constexpr double kALittleMore = 1.0 + 1e-9;

/// What the searches of a cluster may still walk.
struct WalksLeft {
    std::int64_t walks = 0;
    bool isCutShort = false;  ///< one of them ended at its limit

    [[nodiscard]] std::int64_t ofOne() const {
        return std::clamp(walks, kMostEventsOfMany, kMostEventsWalked);
    }
    void take(const PlanReport& report) {
        walks -= report.walked;
        isCutShort = isCutShort || !report.cutShort.empty();
    }
};

/// The best plan that keeps nothing in the host's memory or on drives, where nobody knows how much
/// of those there is; nothing where none surely fits.
Result<std::optional<Plan>> planOnDevices(SearchRequest request,
                                          const TimingProfiles& timing,
                                          const Watch& watch,
                                          WalksLeft& left) {
    if (request.task.rules.fixed.says("offload")) {
        return std::nullopt;
    }
    request.task.rules.forbidden.push_back({.key = "offload", .value = ""});
    request.options.mostWalked = left.ofOne();
    FABRICAST_ASSIGN(PlanReport report, searched(request, timing, {.stop = watch.stop}));
    left.take(report);
    const bool fits = !report.plans.empty() && report.plans.front().memory.verdict == Verdict::Fits;
    return fits ? std::optional(std::move(report.plans.front())) : std::nullopt;
}

/// The best plan with steps of so many seconds for each token of a batch at most, or an error that
/// is the reason why there is none; nothing where the search ended as all are slower. What it walks
/// leaves `left`.
Result<std::optional<Plan>> bestPlan(const SizeSearcher& searcher,
                                     const Question& job,
                                     double mostPerToken,
                                     std::size_t threads,
                                     WalksLeft& left) {
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(job, searcher.bench));
    const Scenario& base = request.task.base;
    FABRICAST_TRY(checkSearchSize(base.model, base.cluster, kPlanSize));
    request.options.top = 1;
    request.options.misses = 0;
    request.options.threads = threads;
    request.options.mostWalked = left.ofOne();
    request.options.slowest = kALittleMore * mostPerToken *
                              static_cast<double>(base.workload.globalBatch) *
                              static_cast<double>(base.workload.sequence);
    FABRICAST_ASSIGN(const TimingProfiles* timing, searcher.bench.timing());
    FABRICAST_ASSIGN(PlanReport report, searched(request, *timing, {.stop = searcher.watch.stop}));
    left.take(report);
    if (report.tooSlow) {
        return std::nullopt;
    }
    if (report.plans.empty()) {
        return fail(Error::Code::Unsupported, "layout", whyNoPlan(report));
    }
    if (!request.options.tight && report.plans.front().memory.ofNode().isUnknown()) {
        FABRICAST_ASSIGN(std::optional<Plan> sure,
                         planOnDevices(std::move(request), *timing, searcher.watch, left));
        if (sure) {
            return sure;
        }
    }
    return std::move(report.plans.front());
}

/// Seconds of a token that a job may take: what is left of the time once every other job has taken
/// what it does, or what it takes at least; and by the rate that each job must have.
double mostPerToken(
    const SizeLine& line, std::int64_t gpuCount, std::size_t job, double left, double leastRate) {
    const auto gpus = static_cast<double>(gpuCount);
    for (std::size_t later = job + 1; later < line.tokens.size(); ++later) {
        left -= line.tokens[later] * line.gpuSeconds[later] / gpus;
    }
    const double most = left / line.tokens[job];
    return leastRate > 0.0 ? std::min(most, 1.0 / leastRate) : most;
}

/// What is known where a job takes more than so many seconds of a token after others took `before`.
SizeKnown knownBeyond(
    const SizeLine& line, std::int64_t gpuCount, std::size_t job, double before, double perToken) {
    SizeKnown known{.leastSeconds = before + line.tokens[job] * perToken};
    if (perToken > 0.0) {
        known.mostTokensPerSecond = 1.0 / perToken;
    }
    for (std::size_t later = job + 1; later < line.tokens.size(); ++later) {
        known.leastSeconds +=
            line.tokens[later] * line.gpuSeconds[later] / static_cast<double>(gpuCount);
    }
    return known;
}

/// Of a step that takes longer, so many tokens.
SizedRange rateRange(const StepEstimate& step) {
    return {step.tokensPerSecond * (step.step.value / step.step.hi),
            step.tokensPerSecond * (step.step.value / step.step.lo)};
}

/// Of its run, or of a million tokens.
Headline<Seconds> wallOf(const Plan& plan) {
    if (plan.cost->run) {
        return plan.cost->run->wall;
    }
    const Headline<double>& share = plan.cost->goodput.share;
    const SizedRange rate = rateRange(plan.step);
    return {.value = Seconds(kMtok / plan.step.tokensPerSecond / share.value),
            .lo = Seconds(kMtok / rate.hi / share.hi),
            .hi = Seconds(kMtok / rate.lo / share.lo)};
}

/// The money of one more job; nothing where any price is not known.
void addMoney(const Plan& plan, const SizeLine& line, SizedCluster& cluster) {
    const RunCost& cost = *plan.cost;
    const bool isFirst = cluster.plans.empty();
    const bool isKnown = isFirst || cluster.usd;
    const double before = cluster.usd.value_or(0.0);
    const SizedRange range = cluster.usdRange.value_or(SizedRange());
    cluster.usd.reset();
    cluster.usdRange.reset();
    if (isKnown && line.hasTokens && cost.run && cost.run->price) {
        const Headline<Usd>& price = *cost.run->price;
        cluster.usd = price.value.count() + before;
        cluster.usdRange = {range.lo + price.lo.count(), range.hi + price.hi.count()};
    } else if (isKnown && !line.hasTokens && cost.gpuHour.price) {
        const double hour = cost.gpuHour.price->count() * static_cast<double>(cluster.gpus);
        cluster.usd = std::max(hour, before);
        cluster.usdRange = {*cluster.usd, *cluster.usd};
    }
}

/// What a job adds.
void addPlan(Plan plan, const SizeLine& line, bool tight, SizedCluster& cluster) {
    const bool isFirst = cluster.plans.empty();
    const SizedRange rate = rateRange(plan.step);
    const Headline<Seconds> wall = wallOf(plan);
    const auto least = [isFirst](double before, double now) {
        return isFirst ? now : std::min(before, now);
    };
    cluster.tokensPerSecond = least(cluster.tokensPerSecond, plan.step.tokensPerSecond);
    cluster.tokensRange = {least(cluster.tokensRange.lo, rate.lo),
                           least(cluster.tokensRange.hi, rate.hi)};
    cluster.seconds += wall.value.count();
    cluster.secondsRange.lo += wall.lo.count();
    cluster.secondsRange.hi += wall.hi.count();
    addMoney(plan, line, cluster);
    cluster.fits = (isFirst || cluster.fits) && countsAsFit(plan.memory.verdict, tight);
    cluster.plans.push_back(std::move(plan));
}

void judge(const SizeSearcher& searcher, SizedCluster& cluster) {
    cluster.meetsTargets = cluster.fits;
    for (const SizeTarget& target : searcher.ask.targets) {
        cluster.meetsTargets = cluster.meetsTargets && missRatio(cluster, target) <= 1.0;
        cluster.verdicts.push_back(verdictOn(cluster, target));
    }
}

/// What is not known is worse than anything.
double orMost(const std::optional<double>& number) {
    return number.value_or(std::numeric_limits<double>::max());
}

bool isAtMost(const std::optional<double>& a, const std::optional<double>& b) {
    return !b || (a && *a <= *b);
}

std::optional<double> wattsOf(const std::optional<Watts>& power) {
    return power ? std::optional(power->count()) : std::nullopt;
}

}  // namespace

std::string whyNoEnd(const Plan& plan) {
    const Goodput& goodput = plan.cost->goodput;
    if (noProgressText(goodput).empty()) {
        return "";
    }
    const CheckpointCycle& cycle = goodput.cycles[goodput.count - 1];
    const auto gpus = plan.scenario.layout.world();
    const std::string share = percentText(goodput.share.value);
    return "goodput is " + (share == percentText(0.0) ? "zero" : share) + ": " +
           std::to_string(gpus) + (gpus == 1 ? " GPU fails" : " GPUs fail") + " every " +
           durationText(goodput.mtbf) +
           (savesTooSeldom(cycle)
                ? ", and save only every " + durationText(cycle.interval) +
                      " (--checkpoint-interval)"
                : ", and it takes " + durationText(cycle.recovery) + " to get on");
}

SizedCluster bareCluster(const SizeLine& line, const SizeAmount& amount) {
    return {.box = line.box,
            .fabric = line.fabric,
            .nodes = amount.nodes,
            .gpus = amount.gpus,
            .isPart = amount.gpus < amount.nodes * line.gpusOfNode,
            .power = sizeBound(line, amount).power,
            .powerEstimated = line.powerEstimated};
}

Result<SizeTry> tryCluster(const SizeSearcher& searcher,
                           const SizeLine& line,
                           const SizeAmount& amount,
                           const SizeLimit& limit,
                           std::size_t threads) {
    const SizedCluster bare = bareCluster(line, amount);
    SizeTry tried{.cluster = bare};
    WalksLeft left{.walks = limit.walks};
    const std::vector<std::string> allowed = searchWords(searcher.jobs.front(), "allow");
    const bool tight = std::ranges::find(allowed, "tight") != allowed.end();
    for (std::size_t job = 0; job < searcher.jobs.size(); ++job) {
        const double most = mostPerToken(
            line, amount.gpus, job, limit.seconds - tried.cluster.seconds, limit.tokensPerSecond);
        FABRICAST_ASSIGN(const Question here, jobOn(searcher.jobs[job], line, amount));
        Result<std::optional<Plan>> plan = bestPlan(searcher, here, most, threads, left);
        tried.walked = limit.walks - left.walks;
        tried.isCutShort = left.isCutShort;
        if (!plan && plan.error().code == Error::Code::Stopped) {
            return tl::unexpected(std::move(plan).error());
        }
        const bool isFound = plan && *plan;
        const bool isCut = plan && !isFound;
        const double before = tried.cluster.seconds;
        const std::string why = !plan ? plan.error().why : isFound ? whyNoEnd(**plan) : "";
        if (!isFound || !why.empty()) {
            tried = {.cluster = bare,
                     .isCut = isCut,
                     .known = isCut && !left.isCutShort
                                  ? knownBeyond(line, amount.gpus, job, before, most)
                                  : SizeKnown(),
                     .walked = tried.walked,
                     .isCutShort = tried.isCutShort};
            tried.cluster.why = why;
            return tried;
        }
        addPlan(**std::move(plan), line, tight, tried.cluster);
    }
    judge(searcher, tried.cluster);
    return tried;
}

std::optional<double> valueOf(const SizedCluster& cluster, SizeAim aim) {
    switch (aim) {
        case SizeAim::Cost:
            return cluster.usd;
        case SizeAim::Time:
            return cluster.seconds;
        case SizeAim::Power:
            return wattsOf(cluster.power);
        case SizeAim::Gpus:
            return static_cast<double>(cluster.gpus);
    }
    return std::nullopt;
}

std::optional<double> valueOf(const SizeBound& bound, SizeAim aim) {
    switch (aim) {
        case SizeAim::Cost:
            return bound.usd;
        case SizeAim::Time:
            return bound.seconds;
        case SizeAim::Power:
            return wattsOf(bound.power);
        case SizeAim::Gpus:
            return static_cast<double>(bound.gpus);
    }
    return std::nullopt;
}

bool isBetter(const SizedCluster& a, const SizedCluster& b, SizeAim aim) {
    const auto key = [aim](const SizedCluster& one) {
        return std::tuple(orMost(valueOf(one, aim)),
                          one.seconds,
                          orMost(one.usd),
                          orMost(wattsOf(one.power)),
                          one.gpus);
    };
    return key(a) < key(b);
}

bool isAsGood(const SizedCluster& a, const SizedCluster& b) {
    return a.seconds <= b.seconds && isAtMost(a.usd, b.usd) &&
           isAtMost(wattsOf(a.power), wattsOf(b.power));
}

}  // namespace fabricast
