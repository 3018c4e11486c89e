#include "study/sized_cluster.h"

#include "study/search_request.h"
#include "study/search_size.h"
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
    return report.candidates == 0 ? "no stack takes any layout" : "no layout fits";
}

/// Rounding decides nothing.
constexpr double kALittleMore = 1.0 + 1e-9;

/// The best plan with steps of so many seconds for each token of a batch at most, or an error that
/// is the reason why there is none; nothing where the search ended as all are slower.
Result<std::optional<Plan>> bestPlan(const SizeSearcher& searcher,
                                     const Question& job,
                                     double mostPerToken,
                                     std::size_t threads) {
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(job, searcher.bench));
    const Scenario& base = request.task.base;
    FABRICAST_TRY(checkSearchSize(base.model, base.cluster, kPlanSize));
    request.options.top = 1;
    request.options.misses = 0;
    request.options.threads = threads;
    request.options.slowest = kALittleMore * mostPerToken *
                              static_cast<double>(base.workload.globalBatch) *
                              static_cast<double>(base.workload.sequence);
    FABRICAST_ASSIGN(const TimingProfiles* timing, searcher.bench.timing());
    FABRICAST_ASSIGN(PlanReport report, searched(request, *timing, {.stop = searcher.watch.stop}));
    if (report.tooSlow) {
        return std::nullopt;
    }
    if (report.plans.empty()) {
        return fail(Error::Code::Unsupported, "layout", whyNoPlan(report));
    }
    return std::move(report.plans.front());
}

/// Seconds of a token that a job may take: what is left of the time once every other job has taken
/// what it does, or what it takes at least; and by the rate that each job must have.
double mostPerToken(const SizeLine& line,
                    std::int64_t nodes,
                    std::size_t job,
                    double left,
                    std::span<const SizeTarget> targets) {
    const auto gpus = static_cast<double>(nodes * line.gpusOfNode);
    for (std::size_t later = job + 1; later < line.tokens.size(); ++later) {
        left -= line.tokens[later] * line.gpuSeconds[later] / gpus;
    }
    double most = left / line.tokens[job];
    for (const SizeTarget& target : targets) {
        if (target.metric == SizeMetric::TokensPerSecond) {
            most = std::min(most, 1.0 / target.wanted);
        }
    }
    return most;
}

/// What a job adds: of its run, or of a million tokens.
void addPlan(Plan plan, const SizeLine& line, SizedCluster& cluster) {
    const RunCost& cost = *plan.cost;
    const auto gpus = static_cast<double>(cluster.gpus);
    const bool isFirst = cluster.plans.empty();
    cluster.tokensPerSecond = isFirst
                                  ? plan.step.tokensPerSecond
                                  : std::min(cluster.tokensPerSecond, plan.step.tokensPerSecond);
    cluster.seconds += cost.run ? cost.run->wall.value.count()
                                : kMtok / plan.step.tokensPerSecond / cost.goodput.share.value;
    std::optional<double> usd;
    if (line.hasTokens && cost.run && cost.run->price) {
        usd = cost.run->price->value.count() + (isFirst ? 0.0 : cluster.usd.value_or(0.0));
    } else if (!line.hasTokens && cost.gpuHour.price) {
        usd = std::max(cost.gpuHour.price->count() * gpus, cluster.usd.value_or(0.0));
    }
    cluster.usd = isFirst || cluster.usd ? usd : std::nullopt;
    cluster.fits = (isFirst || cluster.fits) && plan.memory.verdict == Verdict::Fits;
    cluster.plans.push_back(std::move(plan));
}

bool meets(const SizedCluster& cluster, const SizeTarget& target) {
    switch (target.metric) {
        case SizeMetric::TokensPerSecond:
            return cluster.tokensPerSecond >= target.wanted;
        case SizeMetric::Days:
            return cluster.seconds <= target.wanted * kSecondsPerDay;
        case SizeMetric::Budget:
            return cluster.usd && *cluster.usd <= target.wanted;
    }
    return false;
}

void judge(const SizeSearcher& searcher, SizedCluster& cluster) {
    const std::vector<std::string> allowed = searchWords(searcher.jobs.front(), "allow");
    cluster.fits = cluster.fits || std::ranges::find(allowed, "tight") != allowed.end();
    cluster.meetsTargets =
        cluster.fits &&
        std::ranges::all_of(searcher.ask.targets, [&cluster](const SizeTarget& target) {
            return meets(cluster, target);
        });
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

Result<SizeTry> tryCluster(const SizeSearcher& searcher,
                           const SizeLine& line,
                           std::int64_t nodes,
                           double mostSeconds,
                           std::size_t threads) {
    const SizeBound bound = sizeBound(line, nodes);
    const SizedCluster bare{.box = line.box,
                            .fabric = line.fabric,
                            .nodes = nodes,
                            .gpus = bound.gpus,
                            .power = bound.power,
                            .powerEstimated = line.powerEstimated};
    const std::vector<SizeTarget> any;
    const bool isLimited = mostSeconds < std::numeric_limits<double>::infinity();
    SizeTry tried{.cluster = bare};
    for (std::size_t job = 0; job < searcher.jobs.size(); ++job) {
        const double most = mostPerToken(line,
                                         nodes,
                                         job,
                                         mostSeconds - tried.cluster.seconds,
                                         isLimited ? searcher.ask.targets : any);
        FABRICAST_ASSIGN(const Question here, jobOn(searcher.jobs[job], line, nodes));
        Result<std::optional<Plan>> plan = bestPlan(searcher, here, most, threads);
        if (!plan && plan.error().code == Error::Code::Stopped) {
            return tl::unexpected(std::move(plan).error());
        }
        if (!plan || !*plan) {
            tried = {.cluster = bare, .isCut = plan.has_value()};
            tried.cluster.why = plan ? "" : plan.error().why;
            return tried;
        }
        addPlan(**std::move(plan), line, tried.cluster);
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

bool mayMeet(const SizeBound& bound, std::span<const SizeTarget> targets) {
    return std::ranges::all_of(targets, [&bound](const SizeTarget& target) {
        switch (target.metric) {
            case SizeMetric::TokensPerSecond:
                return bound.tokensPerSecond >= target.wanted;
            case SizeMetric::Days:
                return bound.seconds <= target.wanted * kSecondsPerDay;
            case SizeMetric::Budget:
                return bound.usd && *bound.usd <= target.wanted;
        }
        return false;
    });
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

double secondsOf(const SizeBound& bound, double usd) {
    constexpr double kForEver = std::numeric_limits<double>::infinity();
    if (bound.usdPerSecond) {
        return *bound.usdPerSecond > 0.0 ? usd / *bound.usdPerSecond : kForEver;
    }
    return bound.usd && *bound.usd <= usd ? kForEver : 0.0;
}

double mostSeconds(const SizeBound& bound, std::span<const SizeTarget> targets) {
    double most = std::numeric_limits<double>::max();
    for (const SizeTarget& target : targets) {
        if (target.metric == SizeMetric::Days) {
            most = std::min(most, target.wanted * kSecondsPerDay);
        } else if (target.metric == SizeMetric::Budget) {
            most = std::min(most, secondsOf(bound, target.wanted));
        }
    }
    return most;
}

double beatenFrom(const SizedCluster& a, const SizeBound& b) {
    constexpr double kForEver = std::numeric_limits<double>::infinity();
    if (!isAtMost(wattsOf(a.power), wattsOf(b.power))) {
        return kForEver;
    }
    if (!b.usd) {
        return a.seconds;
    }
    if (!a.usd) {
        return kForEver;
    }
    if (b.usdPerSecond) {
        return std::max(a.seconds, secondsOf(b, *a.usd));
    }
    return *a.usd <= *b.usd ? a.seconds : kForEver;
}

}  // namespace fabricast
