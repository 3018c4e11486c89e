#include "planner/search/plan_search.h"

#include "planner/base/quantity_text.h"
#include "planner/search/lower_bounds.h"
#include "planner/search/plan_of.h"
#include "planner/spec/layout_fields.h"

#include <algorithm>
#include <string>
#include <utility>

namespace fabricast {

namespace {

/// Walked at once: those that come up last may be walked in vain.
constexpr std::size_t kMostAhead = 8;

/// What nobody can recommend before somebody says how much the nodes have.
std::string hiddenText(const Plan& plan) {
    const HostNeed& need = plan.memory.ofNode();
    return "left out: " + plan.scenario.stack + " " + layoutText(plan.scenario.layout) +
           ",recompute=" + recomputeText(plan.scenario.settings.recompute) + ": " +
           shortText(plan.step.step.value) + " a step, if a node has " + shortText(need.perNode) +
           " of " + std::string(need.what) + " (" + std::string(need.flag) + " states it)";
}

}  // namespace

PlanSearch::PlanSearch(const SearchTask& task,
                       const SearchSpace& space,
                       const SearchOptions& options,
                       LayoutForecast forecast,
                       const Watch& watch)
    : task_(task),
      space_(space),
      options_(options),
      watch_(watch),
      forecast_(std::move(forecast)),
      scenarios_(task, space),
      asked_(space, scenarios_),
      known_(borrowed(task, space, options.known, options.isOneOfSeveral)),
      ahead_(task, space, known_, leastMemory() ? 1 : std::min(options.threads, kMostAhead)),
      blocks_(task, space, forecast_.estimator(), known_),
      memory_(task, space),
      time_(task, space, forecast_.estimator().host()),
      capacity_(task.base.cluster.node.gpu.capacity().value->count()),
      limit_(capacity_),
      rows_({.objective = options.objective,
             .tight = options.tight,
             .allOnHost = allNeedUnknownHost(task, space, scenarios_)}),
      most_(options.mostWalked) {}

Result<PlanReport> PlanSearch::run() {
    countFamilies();
    FABRICAST_TRY(search());
    report_.walked += looked_;  // both take time of an answer's searches
    return std::move(report_);
}

Result<void> PlanSearch::search() {
    report_.question = task_.base;
    report_.heldOffload = task_.rules.fixed.says("offload");
    report_.objective = options_.objective;
    for (const RefusedStack& refused : space_.refused) {
        report_.rejections.push_back({std::string(task_.stacks[refused.stack].stack->name),
                                      0,
                                      refused.why,
                                      refused.isMethod});
    }
    FABRICAST_TRY(fillQueue());
    FABRICAST_TRY(findTop());
    if (report_.plans.empty() && report_.tooSlow) {
        return {};
    }
    const bool isSure = !report_.plans.empty() &&
                        countsAsFit(report_.plans.front().memory.onDevice, options_.tight);
    if (isTired() && (report_.plans.empty() || (options_.distinct && !isSure))) {
        FABRICAST_TRY(tryLeanest());
    }
    if (report_.plans.empty()) {
        FABRICAST_TRY(findMisses());
    }
    report_.pareto = paretoOf(report_.plans);
    report_.wholeFront = options_.pareto;
    if (options_.pareto && !report_.plans.empty()) {
        FABRICAST_TRY(extendFront());
    }
    sayWhatIsLeft();
    addRefusals();
    return {};
}

/// Whether no layout that waits can change the rows wanted.
bool PlanSearch::isSettled() const {
    return settled_ && !queue_.empty() && queue_.top().value > *settled_;
}

/// Whether no layout that waits is as fast as was asked for, and nothing found surely fits.
bool PlanSearch::isTooSlow() const {
    return !leastMemory() && !settled_ &&
           (queue_.empty() ? isSlowLeft_ : queue_.top().value > options_.slowest);
}

/// A layout that is slower than was asked for, by more than two spellings of one differ, does not
/// wait: it would never be looked at.
void PlanSearch::enqueue(const Waiting& waiting) {
    constexpr double kFarBeyond = 1.01;
    if (!leastMemory() && waiting.value > kFarBeyond * options_.slowest) {
        isSlowLeft_ = true;
        return;
    }
    queue_.push(waiting);
}

/// The plans wanted. The first rows are the same however many are.
Result<void> PlanSearch::findTop() {
    constexpr std::size_t kLooksPerReport = 64;
    constexpr std::size_t kShownPerMore = 16;  // all of the first, each sixteenth more of many
    std::size_t looks = 0;
    std::size_t found = 0;
    const auto enough = [&] { return options_.distinct ? isSettled() : found >= options_.top; };
    while (!enough() && !isTired() && !isTooSlow() && advance()) {
        FABRICAST_TRY(checkWatch());
        if (isTired() && !settled_) {
            lookFurther();
        }
        if (report_.plans.size() == (options_.distinct ? 0 : found)) {
            if (++looks % kLooksPerReport == 0) {
                watch_.report(std::min(found, options_.top), options_.top);
            }
            continue;
        }
        ++found;
        if (options_.distinct) {
            rows_.add(std::move(report_.plans.back()));
            report_.plans.clear();
            settled_ = rows_.settledBeyond(options_.top);
            leaveRoom();
        }
        watch_.report(std::min(found, options_.top), options_.top);
        if (found >= nextShown_) {
            showPlans();
            nextShown_ = found + 1 + found / kShownPerMore;
        }
    }
    FABRICAST_TRY(checkWatch());
    report_.tooSlow = isTooSlow();
    if (options_.distinct) {
        takeRows();
    }
    return {};
}

void PlanSearch::showPlans() {
    if (options_.onPlan) {
        options_.onPlan(options_.distinct ? rows_.soFar(options_.top) : report_.plans);
    }
}

/// Who stops a search is shown what was found by then.
Result<void> PlanSearch::checkWatch() {
    Result<void> goesOn = watch_.check();
    if (!goesOn && nextShown_ > 0) {
        showPlans();
    }
    return goesOn;
}

/// Where too few plans surely fit: as much more as is allowed, and then, for a while each time,
/// among layouts that leave more and more room.
void PlanSearch::lookFurther() {
    constexpr std::int64_t kStep = 16;
    constexpr std::int64_t kOfWhile = 8;
    if (used() < options_.mostUnsure) {
        most_ = std::max(most_, options_.mostUnsure);
        return;
    }
    const bool leansOn = options_.distinct && !leastMemory() && rows_.rows() == 0;
    if (!leansOn || queue_.empty() || limit_ <= capacity_ / 2) {
        return;
    }
    if (!passedOver_) {
        passedOver_ = queue_.top().value;
    }
    limit_ -= capacity_ / kStep;
    most_ = used() + options_.mostWalked / kOfWhile;
}

/// Where so many rows likely fit and do not surely, those that leave no room for the allocator are
/// not looked at any more.
void PlanSearch::leaveRoom() {
    constexpr std::int64_t kRoom = 16;
    constexpr std::size_t kTightRows = 5;
    if (rows_.likelyRows() >= kTightRows && limit_ == capacity_) {
        limit_ = capacity_ - capacity_ / kRoom;
    }
}

/// Whether a plan is better than those shown, and none of them.
bool PlanSearch::isHidden(const Plan& plan) const {
    const auto worth = [this](const Plan& one) {
        return leastMemory() ? static_cast<double>(one.memory.peak.value.count())
                             : one.step.step.value.count();
    };
    return std::ranges::all_of(report_.plans, [&](const Plan& shown) {
        return worth(plan) < worth(shown) && !sameInWhatMatters(plan.scenario, shown.scenario);
    });
}

void PlanSearch::takeRows() {
    const Plan* const tight = options_.tight ? nullptr : rows_.firstIfTight();
    std::optional<Plan> tighter = tight == nullptr ? std::nullopt : std::optional(*tight);
    const Plan* const unknown = rows_.hostUnknown();
    std::optional<Plan> onUnknown = unknown == nullptr ? std::nullopt : std::optional(*unknown);
    report_.plans = std::move(rows_).best(options_.top);
    if (onUnknown && isHidden(*onUnknown)) {
        report_.notes.push_back(hiddenText(*onUnknown));
        report_.waitsForHost = std::move(onUnknown);
    }
    if (tighter && !report_.plans.empty() &&
        report_.plans.front().memory.onDevice == Verdict::Fits &&
        report_.plans.front().step.step.value > tighter->step.step.value * (1.0 + kAlike)) {
        report_.tighter = std::move(tighter);
    }
}

/// Looks closer at what comes first; false where nothing waits any more.
bool PlanSearch::advance() {
    if (queue_.empty()) {
        return false;
    }
    ++report_.looks;
    countLook();
    if (queue_.top().look == Look::Bounded) {
        estimateNext();
        return true;
    }
    const Waiting next = queue_.top();
    queue_.pop();
    lookCloser(next);
    return true;
}

/// Slower layouts that need less memory, each a sixty-fourth of the GPU's less than all before.
Result<void> PlanSearch::extendFront() {
    const std::size_t plans = report_.plans.size();
    const auto tighten = [this](const Plan& leanest) {
        limit_ = leanest.memory.peak.value.count() - capacity_ / 64;
    };
    tighten(report_.pareto.back());
    while (!isTired() && advance()) {
        FABRICAST_TRY(watch_.check());
        if (report_.plans.size() > plans) {
            report_.pareto.push_back(std::move(report_.plans.back()));
            report_.plans.pop_back();
            tighten(report_.pareto.back());
        }
    }
    return {};
}

Result<MemoryBreakdown> PlanSearch::walked(const Candidate& candidate,
                                           const Scenario& scenario,
                                           Bytes most) {
    LayoutMemories& known = *known_[space_.families[candidate.family].stack]->memories;
    return known.ofFullestStage(scenario, most, watch_);
}

void PlanSearch::accept(const Candidate& candidate, double value) {
    const auto scenario = scenarios_.of(candidate);
    if (!scenario || rows_.leavesOut(**scenario, value)) {
        return;
    }
    const std::optional<Bytes> most = mostWalked(candidate, **scenario);
    if (!most) {
        return;
    }
    Result<MemoryBreakdown> memory = walked(candidate, **scenario, *most);
    if (!memory) {
        refuse(candidate, memory.error().why);
        return;
    }
    if (!leastMemory() && !candidate.swapped) {  // else it was counted before
        countWalk(*memory);
    }
    if (memory->verdict == Verdict::DoesNotFit || !isLean(*memory)) {
        return;
    }
    Plan plan{.scenario = **scenario, .memory = *std::move(memory)};
    if (plan.fitsHost()) {
        const ModelTime& blocks = *blocks_.timeOf(candidate, **scenario);
        Result<StepEstimate> step = forecast_.estimator().estimate(**scenario, blocks);
        if (!step) {
            refuse(candidate, step.error().why);
            return;
        }
        plan.step = *std::move(step);
        report_.plans.push_back(std::move(plan));
    }
}

void PlanSearch::refuse(const Candidate& candidate, const std::string& why) {
    ++refusals_[{space_.families[candidate.family].stack, why}];
}

void PlanSearch::addRefusals() {
    for (const auto& [what, layouts] : refusals_) {
        report_.rejections.push_back(
            {std::string(task_.stacks[what.first].stack->name), layouts, what.second});
    }
}

}  // namespace fabricast
