#include "planner/search/find_on_parts.h"

#include "planner/search/plan_of.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace fabricast {

namespace {

struct Valued {
    double value = 0.0;
    std::int64_t gpus = 0;
    Plan plan;
};

}  // namespace

std::vector<ClusterSpec> partsOf(const ClusterSpec& cluster) {
    std::vector<ClusterSpec> parts{cluster};
    while (parts.back().nodes > 1) {
        parts.push_back(parts.back());
        parts.back().nodes = (parts.back().nodes + 1) / 2;
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
                               const PlanValue& value) {
    std::vector<Valued> found;
    std::optional<PlanReport> whole;
    std::vector<Plan> fronts;
    for (const ClusterSpec& part : partsOf(task.base.cluster)) {
        SearchTask smaller = task;
        smaller.base.cluster = part;
        FABRICAST_ASSIGN(PlanReport report, findPlans(smaller, profiles, options));
        for (Plan& plan : report.plans) {
            if (const std::optional<double> worth = value(plan)) {
                found.push_back({*worth, part.gpus(), plan});
            }
        }
        fronts.insert(fronts.end(), report.pareto.begin(), report.pareto.end());
        if (!whole) {
            whole = std::move(report);
        } else {
            whole->candidates += report.candidates;
            whole->feasible += report.feasible;
        }
    }
    if (found.empty()) {
        return *std::move(whole);
    }
    std::stable_sort(found.begin(), found.end(), [](const Valued& a, const Valued& b) {
        return std::tuple(a.value, a.gpus) < std::tuple(b.value, b.gpus);
    });
    whole->plans.clear();
    for (std::size_t i = 0; i < std::min(found.size(), options.top); ++i) {
        whole->plans.push_back(std::move(found[i].plan));
    }
    whole->misses.clear();
    whole->pareto = paretoOf(std::move(fronts));
    return *std::move(whole);
}

}  // namespace fabricast
