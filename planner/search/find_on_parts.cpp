#include "planner/search/find_on_parts.h"

#include "planner/search/plan_of.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {

namespace {

struct Valued {
    double value = 0.0;
    std::int64_t gpus = 0;
    Plan plan;
};

/// The search of one part among several: plans are shown when all of theirs are compared. It takes
/// a third of the work that those before have left, so that all together take no more than one
/// search. The nearest misses are those of the whole.
SearchOptions ofOnePart(SearchOptions options, std::size_t part, std::int64_t walked) {
    constexpr std::int64_t kShare = 3;
    options.mostWalked = std::max<std::int64_t>(0, options.mostWalked - walked) / kShare;
    options.misses = part == 0 ? options.misses : 0;
    options.onPlan = nullptr;
    return options;
}

/// Progress over all parts, as if each were as long.
Watch partOf(const Watch& watch, std::size_t part, std::size_t parts) {
    Watch mine = watch;
    mine.progress = [&watch, part, parts](std::size_t done, std::size_t all) {
        watch.report(part * all + done, parts * all);
    };
    return mine;
}

/// The first few in order.
std::vector<Plan> bestOf(std::vector<Valued>& found, const SearchOptions& options) {
    const bool safeFirst = options.distinct && !options.tight;
    const auto rank = [safeFirst](const Valued& valued) {
        const bool tight = safeFirst && valued.plan.memory.onDevice != Verdict::Fits;
        return std::tuple(tight, valued.value, valued.gpus);
    };
    std::stable_sort(found.begin(), found.end(), [&rank](const Valued& a, const Valued& b) {
        return rank(a) < rank(b);
    });
    std::vector<Plan> best;
    for (std::size_t i = 0; i < std::min(found.size(), options.top); ++i) {
        best.push_back(found[i].plan);
    }
    return best;
}

/// Half of the nodes of each site, or half of the sites where each has one node.
void halve(ClusterSpec& cluster) {
    std::int64_t& sites = cluster.sites.count;
    const std::int64_t each = cluster.nodes / sites;
    if (each == 1 && sites > 1) {
        sites = (sites + 1) / 2;
        cluster.sites = sites == 1 ? SitesSpec() : cluster.sites;
        cluster.nodes = sites;
        return;
    }
    cluster.nodes = (each + 1) / 2 * sites;
}

}  // namespace

std::vector<ClusterSpec> partsOf(const ClusterSpec& cluster, std::int64_t globalBatch) {
    std::vector<ClusterSpec> parts{cluster};
    for (ClusterSpec half = cluster; half.nodes > 1; parts.push_back(half)) {
        ClusterSpec between = half;
        halve(half);
        const std::int64_t sites = between.sites.count;
        between.nodes -= sites;
        while (between.nodes > half.nodes && globalBatch % between.gpus() != 0) {
            between.nodes -= sites;
        }
        if (between.nodes > half.nodes) {
            parts.push_back(between);
        }
    }
    while (parts.back().node.gpus > 1) {
        parts.push_back(parts.back());
        NodeSpec& node = parts.back().node;
        const std::int64_t fewer = node.gpus / 2;
        if (std::optional<Watts>& power = node.power.value) {
            *power = *power * (static_cast<double>(fewer) / static_cast<double>(node.gpus));
        }
        node.gpus = fewer;
    }
    return parts;
}

Result<PlanReport> findOnParts(const SearchTask& task,
                               const TimingProfiles& profiles,
                               const SearchOptions& options,
                               const PlanValue& value,
                               const Watch& watch) {
    std::vector<Valued> found;
    std::optional<PlanReport> whole;
    std::vector<Plan> fronts;
    std::string cutShort;
    std::int64_t walked = 0;
    const std::vector<ClusterSpec> parts =
        partsOf(task.base.cluster, task.base.workload.globalBatch);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        SearchTask smaller = task;
        smaller.base.cluster = parts[part];
        FABRICAST_ASSIGN(PlanReport report,
                         findPlans(smaller,
                                   profiles,
                                   ofOnePart(options, part, walked),
                                   partOf(watch, part, parts.size())));
        walked += report.walked;
        for (Plan& plan : report.plans) {
            if (const std::optional<double> worth = value(plan)) {
                found.push_back({*worth, parts[part].gpus(), plan});
            }
        }
        if (options.onPlan && !found.empty()) {
            options.onPlan(bestOf(found, options));
        }
        fronts.insert(fronts.end(), report.pareto.begin(), report.pareto.end());
        if (!whole) {
            whole = std::move(report);
        } else {
            whole->candidates += report.candidates;
            whole->feasible += report.feasible;
            whole->looks += report.looks;
            whole->walked += report.walked;
            if (cutShort.empty() && !report.cutShort.empty()) {
                cutShort = "on " + std::to_string(parts[part].gpus()) + " GPUs " + report.cutShort;
            }
        }
    }
    if (found.empty()) {
        return *std::move(whole);
    }
    whole->plans = bestOf(found, options);
    whole->cutShort = whole->cutShort.empty() ? cutShort : whole->cutShort;
    whole->refused = false;  // the whole may be, by layouts that parts have
    whole->misses.clear();
    whole->tighter.reset();
    whole->notes.clear();  // of one part
    whole->pareto = paretoOf(std::move(fronts));
    return *std::move(whole);
}

}  // namespace fabricast
