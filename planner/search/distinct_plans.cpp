#include "planner/search/distinct_plans.h"

#include "planner/spec/layout_fields.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <tuple>
#include <utility>

namespace fabricast {
namespace {

/// How many keys have to be typed.
std::size_t keysOf(const Scenario& scenario) {
    const std::string text = layoutText(scenario.layout);
    return 1 + static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
}

/// Memory in sixteenths of the GPU's: less is worth a key.
std::int64_t sixteenths(const Plan& plan) {
    constexpr std::int64_t kParts = 16;
    const std::int64_t capacity = std::max<std::int64_t>(1, plan.memory.capacity.count());
    return plan.memory.peak.value.count() / ((capacity + kParts - 1) / kParts);
}

/// Whether plan `a` is the one to show of two that are alike: what surely fits, then what leaves
/// clearly more memory, then what is simpler.
bool isSafer(const Plan& a, const Plan& b) {
    const auto rank = [](const Plan& plan) {
        return std::tuple(plan.memory.onDevice != Verdict::Fits,
                          sixteenths(plan),
                          keysOf(plan.scenario),
                          plan.memory.peak.value.count(),
                          plan.step.step.value.count());
    };
    return rank(a) < rank(b);
}

/// Whether two plans are one layout that runs the same in two stacks, as far as a forecast tells.
bool areTwins(const Plan& a, const Plan& b) {
    constexpr std::int64_t kParts = 64;  // of the GPU's memory: far below its forecast's error
    const double step = a.step.step.value / b.step.step.value;
    const std::int64_t apart = std::abs(a.memory.peak.value.count() - b.memory.peak.value.count());
    return a.scenario.stack != b.scenario.stack && a.memory.verdict == b.memory.verdict &&
           std::max(step, 1.0 / step) <= 1.0 + kAlike &&
           apart <= a.memory.capacity.count() / kParts &&
           layoutText(a.scenario.layout) == layoutText(b.scenario.layout) &&
           recomputeText(a.scenario.settings.recompute) ==
               recomputeText(b.scenario.settings.recompute);
}

/// Whether its nodes surely hold what it leaves to them; where their memory is not known, nobody
/// can tell.
bool hostSurelyFits(const Plan& plan) {
    return !plan.memory.ofNode().isUnknown();
}

}  // namespace

bool sameInWhatMatters(const Scenario& a, const Scenario& b) {
    const auto what = [](const Scenario& scenario) {
        const Layout& layout = scenario.layout;
        return std::tuple(layout.dp,
                          layout.tp,
                          layout.pp,
                          layout.cp,
                          layout.ep,
                          layout.etp,
                          layout.offload,
                          recomputeText(scenario.settings.recompute));
    };
    return a.stack == b.stack && what(a) == what(b);
}

double DistinctPlans::valueOf(const Plan& plan) const {
    return rules_.objective == PlanObjective::Memory
               ? static_cast<double>(plan.memory.peak.value.count())
               : plan.step.step.value.count();
}

bool DistinctPlans::leavesOut(const Scenario& scenario, double value) const {
    for (const Group& group : groups_) {
        if (sameInWhatMatters(scenario, group.front().scenario)) {
            return std::any_of(group.begin(), group.end(), [&](const Plan& plan) {
                return counts(plan) && value > valueOf(plan) * (1.0 + kAlike);
            });
        }
    }
    return false;
}

void DistinctPlans::add(Plan plan) {
    if (leavesOut(plan.scenario, valueOf(plan))) {
        return;
    }
    for (Group& group : groups_) {
        if (sameInWhatMatters(plan.scenario, group.front().scenario)) {
            group.push_back(std::move(plan));
            return;
        }
    }
    groups_.emplace_back().push_back(std::move(plan));
}

/// The best that counts; where none does, the best of those that fit most surely.
DistinctPlans::Group::const_iterator DistinctPlans::firstOf(const Group& group) const {
    const auto first = std::ranges::find_if(group, [this](const Plan& one) { return counts(one); });
    return first != group.end() ? first : std::ranges::min_element(group, {}, [](const Plan& one) {
        return one.memory.onDevice;
    });
}

/// The safest of those as fast as its best that counts.
DistinctPlans::Group::const_iterator DistinctPlans::shownIn(const Group& group) const {
    const auto first = firstOf(group);
    auto shown = first;
    for (auto plan = first; plan != group.end(); ++plan) {
        const bool stands =
            counts(*first) ? counts(*plan) : plan->memory.onDevice == first->memory.onDevice;
        const bool asFast = valueOf(*plan) <= valueOf(*first) * (1.0 + kAlike);
        if (stands && asFast && isSafer(*plan, *shown)) {
            shown = plan;
        }
    }
    return shown;
}

/// It keeps the others, without those that a better one which was found later leaves behind.
Plan DistinctPlans::shownOf(Group group) const {
    const double slowest = valueOf(*firstOf(group)) * (1.0 + kAlike);
    std::erase_if(group, [&](const Plan& plan) { return valueOf(plan) > slowest; });
    const auto shown = group.begin() + (shownIn(group) - group.cbegin());
    Plan row = std::move(*shown);
    group.erase(shown);
    row.alike = std::move(group);
    return row;
}

/// What is found later is no better than what was found, and a row's plan changes only for one that
/// is as fast as the row's best.
std::optional<double> DistinctPlans::settledBeyond(std::size_t top) const {
    struct Settled {
        double shown = 0.0;
        double best = 0.0;
        const Plan* plan = nullptr;
    };
    std::vector<Settled> rows;
    for (const Group& group : groups_) {
        const auto first = firstOf(group);
        const Plan& shown = *shownIn(group);
        // Those that nobody can be sure of come behind slower ones, where there are any.
        if (counts(*first) && (rules_.allOnHost || hostSurelyFits(shown))) {
            const bool isTwin = std::ranges::any_of(
                rows, [&shown](const Settled& row) { return areTwins(*row.plan, shown); });
            if (!isTwin) {
                rows.push_back({valueOf(shown), valueOf(*first), &shown});
            }
        }
    }
    if (rows.size() < top || top == 0) {
        return std::nullopt;
    }
    std::ranges::stable_sort(rows, {}, &Settled::shown);
    rows.resize(top);
    return std::ranges::max_element(rows, {}, &Settled::best)->best * (1.0 + kAlike);
}

std::size_t DistinctPlans::rows() const {
    return static_cast<std::size_t>(
        std::count_if(groups_.begin(), groups_.end(), [this](const Group& group) {
            return std::any_of(
                group.begin(), group.end(), [this](const Plan& plan) { return counts(plan); });
        }));
}

std::size_t DistinctPlans::likelyRows() const {
    return static_cast<std::size_t>(std::ranges::count_if(groups_, [this](const Group& group) {
        const bool isLikely = std::ranges::any_of(
            group, [](const Plan& plan) { return plan.memory.onDevice == Verdict::Likely; });
        return isLikely &&
               std::ranges::none_of(group, [this](const Plan& plan) { return counts(plan); });
    }));
}

const Plan* DistinctPlans::firstIfTight() {
    const bool tight = std::exchange(rules_.tight, true);
    const std::vector<Row> first = firstRows(1);
    const Plan* shown = first.empty() || !counts(*first[0].shown) ? nullptr : first[0].shown;
    rules_.tight = tight;
    return shown;
}

const Plan* DistinctPlans::hostUnknown() const {
    const Plan* best = nullptr;
    for (const Group& group : groups_) {
        for (const Plan& plan : group) {
            if (counts(plan) && !hostSurelyFits(plan) &&
                (best == nullptr || valueOf(plan) < valueOf(*best))) {
                best = &plan;
            }
        }
    }
    return best;
}

std::vector<DistinctPlans::Row> DistinctPlans::firstRows(std::size_t top) const {
    std::vector<Row> rows;
    for (std::size_t group = 0; group < groups_.size(); ++group) {
        const Plan& shown = *shownIn(groups_[group]);
        const auto twin = std::ranges::find_if(
            rows, [&shown](const Row& other) { return areTwins(*other.shown, shown); });
        if (twin == rows.end()) {
            rows.push_back({&shown, {group}});
        } else {
            twin->groups.push_back(group);
        }
    }
    std::ranges::stable_sort(rows, {}, [this](const Row& row) {
        const Plan& plan = *row.shown;
        return std::tuple(!counts(plan),
                          counts(plan) && !hostSurelyFits(plan),
                          !counts(plan) && plan.memory.onDevice == Verdict::Unlikely,
                          valueOf(plan));
    });
    rows.resize(std::min(rows.size(), top));
    return rows;
}

std::vector<Plan> DistinctPlans::best(std::size_t top) && {
    std::vector<Plan> plans;
    for (const Row& row : firstRows(top)) {
        Plan plan = shownOf(std::move(groups_[row.groups.front()]));
        for (std::size_t i = 1; i < row.groups.size(); ++i) {
            Plan twin = shownOf(std::move(groups_[row.groups[i]]));
            std::vector<Plan> others = std::exchange(twin.alike, {});
            plan.alike.push_back(std::move(twin));
            std::ranges::move(others, std::back_inserter(plan.alike));
        }
        plans.push_back(std::move(plan));
    }
    groups_.clear();
    return plans;
}

std::vector<Plan> DistinctPlans::soFar(std::size_t top) const {
    std::vector<Plan> plans;
    for (const Row& row : firstRows(top)) {
        plans.push_back(*row.shown);
    }
    return plans;
}

}  // namespace fabricast
