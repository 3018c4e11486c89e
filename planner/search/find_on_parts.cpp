#include "planner/search/find_on_parts.h"

#include "planner/search/distinct_plans.h"
#include "planner/search/plan_of.h"

#include <algorithm>
#include <ranges>
#include <set>
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
    const auto rank = [&options](const Valued& valued) {
        const bool isBehind =
            options.distinct && !countsAsFit(valued.plan.memory.onDevice, options.tight);
        return std::tuple(isBehind, valued.value, valued.gpus);
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

/// The cluster with another number of something.
using Sized = std::function<ClusterSpec(std::int64_t)>;

/// Numbers below `whole` that are worth a search, the largest first: its halves, quarters and so
/// on, rounded either way, powers of two, and between two of them the most that divides the batch.
std::vector<std::int64_t> fewerThan(std::int64_t whole,
                                    const std::function<bool(std::int64_t)>& dividesBatch) {
    std::set<std::int64_t> numbers;
    for (std::int64_t power = 1; power < whole; power *= 2) {
        numbers.insert({power, whole / (2 * power), (whole - 1) / (2 * power) + 1});
    }
    numbers.erase(0);
    std::vector<std::int64_t> fewer;
    std::int64_t above = whole;
    for (const std::int64_t number : std::views::reverse(numbers)) {
        std::int64_t between = above - 1;
        while (between > number && !dividesBatch(between)) {
            --between;
        }
        if (between > number) {
            fewer.push_back(between);
        }
        fewer.push_back(number);
        above = number;
    }
    return fewer;
}

/// Adds parts of the last one, down to one of what `sized` counts.
void addFewer(std::vector<ClusterSpec>& parts,
              std::int64_t whole,
              std::int64_t globalBatch,
              const Sized& sized) {
    const auto dividesBatch = [&](std::int64_t number) {
        return globalBatch % sized(number).gpus() == 0;
    };
    for (const std::int64_t number : fewerThan(whole, dividesBatch)) {
        parts.push_back(sized(number));
    }
}

ClusterSpec withNodesOfSite(ClusterSpec cluster, std::int64_t nodes) {
    cluster.nodes = nodes * cluster.sites.count;
    return cluster;
}

/// Sites of one node each.
ClusterSpec withSites(ClusterSpec cluster, std::int64_t sites) {
    cluster.sites.count = sites;
    cluster.sites = sites == 1 ? SitesSpec() : cluster.sites;
    cluster.nodes = sites;
    return cluster;
}

ClusterSpec withGpusOfNode(ClusterSpec cluster, std::int64_t gpus) {
    NodeSpec& node = cluster.node;
    if (std::optional<Watts>& power = node.power.value) {
        *power = *power * (static_cast<double>(gpus) / static_cast<double>(node.gpus));
    }
    node.gpus = gpus;
    return cluster;
}

}  // namespace

std::vector<ClusterSpec> partsOf(const ClusterSpec& cluster, std::int64_t globalBatch) {
    const std::int64_t sites = cluster.sites.count;
    const ClusterSpec oneOfEach = withNodesOfSite(cluster, 1);
    const ClusterSpec oneNode = withSites(oneOfEach, 1);
    std::vector<ClusterSpec> parts{cluster};
    addFewer(parts, cluster.nodes / sites, globalBatch, [&](std::int64_t nodes) {
        return withNodesOfSite(cluster, nodes);
    });
    addFewer(
        parts, sites, globalBatch, [&](std::int64_t count) { return withSites(oneOfEach, count); });
    addFewer(parts, cluster.node.gpus, globalBatch, [&](std::int64_t gpus) {
        return withGpusOfNode(oneNode, gpus);
    });
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
    whole->waitsForHost.reset();
    whole->notes.clear();  // of one part
    whole->pareto = paretoOf(std::move(fronts));
    return *std::move(whole);
}

}  // namespace fabricast
