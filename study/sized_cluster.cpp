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

/// The best plan, or an error that is the reason why there is none.
Result<Plan> bestPlan(const Question& job,
                      const Workbench& bench,
                      std::size_t threads,
                      const Watch& watch) {
    FABRICAST_ASSIGN(SearchRequest request, searchRequest(job, bench));
    FABRICAST_TRY(checkSearchSize(request.task.base.model, request.task.base.cluster, kPlanSize));
    request.options.top = 1;
    request.options.misses = 0;
    request.options.threads = threads;
    FABRICAST_ASSIGN(const TimingProfiles* timing, bench.timing());
    FABRICAST_ASSIGN(PlanReport report, searched(request, *timing, {.stop = watch.stop}));
    if (report.plans.empty()) {
        return fail(Error::Code::Unsupported, "layout", whyNoPlan(report));
    }
    return std::move(report.plans.front());
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

/// Seconds where they are comparable, as clusters that never get on take for ever.
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

Result<SizedCluster> sizedCluster(std::span<const Question> jobs,
                                  const SizeLine& line,
                                  std::int64_t nodes,
                                  const SizeAsk& ask,
                                  const Workbench& bench,
                                  std::size_t threads,
                                  const Watch& watch) {
    const SizeBound bound = sizeBound(line, nodes);
    SizedCluster cluster{.box = line.box,
                         .fabric = line.fabric,
                         .nodes = nodes,
                         .gpus = bound.gpus,
                         .power = bound.power,
                         .powerEstimated = line.powerEstimated};
    for (const Question& job : jobs) {
        FABRICAST_ASSIGN(const Question here, jobOn(job, line, nodes));
        Result<Plan> plan = bestPlan(here, bench, threads, watch);
        if (!plan && plan.error().code == Error::Code::Stopped) {
            return tl::unexpected(std::move(plan).error());
        }
        if (!plan) {
            return SizedCluster{.box = cluster.box,
                                .fabric = cluster.fabric,
                                .nodes = nodes,
                                .gpus = cluster.gpus,
                                .power = cluster.power,
                                .powerEstimated = cluster.powerEstimated,
                                .why = plan.error().why};
        }
        addPlan(*std::move(plan), line, cluster);
    }
    const std::vector<std::string> allowed = searchWords(jobs.front(), "allow");
    cluster.fits = cluster.fits || std::ranges::find(allowed, "tight") != allowed.end();
    cluster.meetsTargets =
        cluster.fits && std::ranges::all_of(ask.targets, [&cluster](const SizeTarget& target) {
            return meets(cluster, target);
        });
    return cluster;
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

bool isAsGood(const SizedCluster& a, const SizeBound& b) {
    return a.seconds <= b.seconds && isAtMost(a.usd, b.usd) &&
           isAtMost(wattsOf(a.power), wattsOf(b.power));
}

}  // namespace fabricast
