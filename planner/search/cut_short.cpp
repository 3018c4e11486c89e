#include "planner/search/plan_search.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <string>
#include <utility>

// Searches that walk through more than is theirs to.
namespace fabricast {

namespace {

/// Rounded up, in whole percent.
std::string percent(double share) {
    return std::to_string(static_cast<int>(std::ceil(100.0 * share))) + " %";
}

}  // namespace

/// What the walk takes up to where it passes the limit, and the replay where it does not: the same
/// for one that an earlier search made. A layout costs as much to set up as some events to walk.
void PlanSearch::countWalk(const MemoryBreakdown& memory) {
    constexpr std::int64_t kOfEach = 3000;
    report_.walked += kOfEach;
    ++layoutsWalked_;
    const StageMemory& fullest = memory.stages[memory.fullest];
    const Bytes around = memory.peak.lo - fullest.requested;
    for (const StageMemory& stage : memory.stages) {
        report_.walked += stage.eventsWalked;
        if (stage.requested + around > Bytes(limit_)) {
            return;
        }
    }
    report_.walked += fullest.eventsWalked;
}

/// What takes some microseconds, and an estimate some hundred, in events that take 0.05 to 0.08.
/// Searches that walk much look little, so each has as many of both.
void PlanSearch::countLook() {
    constexpr std::int64_t kOfLook = 50;
    looked_ += kOfLook;
}

/// Each pass of a long pipeline is put in order and timed.
void PlanSearch::countEstimate(const Scenario& scenario) {
    constexpr std::int64_t kOfEstimate = 2000;
    constexpr std::int64_t kFewPasses = 16'384;
    constexpr std::int64_t kPassesOfEvent = 2;
    const Layout& layout = scenario.layout;
    const std::int64_t passes =
        layout.pp > 1 ? 2 * layout.pp * layout.vpp * scenario.microBatches() : 0;
    looked_ += kOfEstimate + std::max<std::int64_t>(0, passes - kFewPasses) / kPassesOfEvent;
}

/// What stacks were asked before anything waits. Those that refuse all are asked as much again,
/// with another batch.
void PlanSearch::countAsked() {
    constexpr std::int64_t kOfAsked = 80;
    looked_ += kOfAsked * asked_.asked();
}

void PlanSearch::countFamilies() {
    constexpr std::int64_t kOfFamily = 60;
    looked_ += kOfFamily * static_cast<std::int64_t>(space_.families.size());
}

/// Where the search was cut short before anything surely fitted: the divisions that need least.
/// What was found stays behind those that fit more surely.
Result<void> PlanSearch::tryLeanest() {
    std::vector<Plan> before = std::exchange(report_.plans, {});
    limit_ = capacity_;  // looking further may have left less
    FABRICAST_ASSIGN(const std::vector<Sized> least, leanest());
    for (const auto& [bytes, candidate] : least) {
        FABRICAST_TRY(watch_.check());
        accept(candidate, 0.0);
    }
    std::ranges::stable_sort(report_.plans, {}, [this](const Plan& plan) {
        return leastMemory() ? static_cast<double>(plan.memory.peak.value.count())
                             : plan.step.step.value.count();
    });
    DistinctPlans found({.objective = options_.objective, .tight = options_.tight});
    for (Plan& plan : std::exchange(report_.plans, {})) {
        found.add(std::move(plan));
    }
    report_.plans = std::move(found).best(options_.top);
    if (!before.empty()) {
        const Verdict first = before.front().memory.onDevice;
        std::erase_if(report_.plans,
                      [first](const Plan& one) { return one.memory.onDevice >= first; });
        std::ranges::move(before, std::back_inserter(report_.plans));
        report_.plans.resize(std::min(report_.plans.size(), options_.top));
    }
    return watch_.check();
}

/// Of a search that was cut short: how much better a layout may be that it did not come to.
void PlanSearch::sayWhatIsLeft() {
    if (!passedOver_ && (!isTired() || queue_.empty())) {
        return;
    }
    std::string left = "others may fit";
    if (!report_.plans.empty()) {
        const Plan& best = report_.plans.front();
        const double next = passedOver_ ? *passedOver_ : queue_.top().value;
        const double value = leastMemory() ? static_cast<double>(best.memory.peak.value.count())
                                           : best.step.step.value.count();
        constexpr double kNoticed = 0.0005;
        const double better = 1.0 - next / value;
        const std::string others = passedOver_ ? "others that surely fit" : "others";
        left = better > kNoticed ? others + " may be up to " + percent(better) +
                                       (leastMemory() ? " smaller" : " faster")
                                 : "none is better than the first, further rows may be missing";
        // What surely fits comes first, however slow it is.
        if (options_.distinct && best.memory.onDevice != Verdict::Fits) {
            left = "one that surely fits may be among the others";
        }
    }
    report_.cutShort =
        "the memory of " + std::to_string(layoutsWalked_) + " layouts was walked; " + left;
}

}  // namespace fabricast
