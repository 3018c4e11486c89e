#include "planner/search/plan_search.h"

#include "planner/search/plan_of.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

namespace fabricast {

namespace {

/// Walked at once: those that come up last may be walked in vain.
constexpr std::size_t kMostAhead = 8;

/// Rounded up, in whole percent.
std::string percent(double share) {
    return std::to_string(static_cast<int>(std::ceil(100.0 * share))) + " %";
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
      known_(borrowed(task, space, options.known)),
      ahead_(task, space, known_, leastMemory() ? 1 : std::min(options.threads, kMostAhead)),
      blocks_(task, space, forecast_.estimator(), known_),
      memory_(task, space),
      time_(task, space, forecast_.estimator().host()),
      capacity_(task.base.cluster.node.gpu.capacity().value->count()),
      limit_(capacity_),
      rows_({.objective = options.objective, .tight = options.tight}) {}

Result<PlanReport> PlanSearch::run() {
    report_.question = task_.base;
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
        return std::move(report_);
    }
    if (report_.plans.empty() && isTired()) {
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
    return std::move(report_);
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
    std::size_t looks = 0;
    std::size_t found = 0;
    const auto enough = [&] { return options_.distinct ? isSettled() : found >= options_.top; };
    while (!enough() && !isTired() && !isTooSlow() && advance()) {
        FABRICAST_TRY(watch_.check());
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
        if (options_.onPlan) {
            options_.onPlan(options_.distinct ? DistinctPlans(rows_).best(options_.top)
                                              : report_.plans);
        }
    }
    FABRICAST_TRY(watch_.check());
    report_.tooSlow = isTooSlow();
    if (options_.distinct) {
        takeRows();
    }
    return {};
}

/// Where so many rows may fit and do not surely, those that leave no room for the allocator are not
/// looked at any more.
void PlanSearch::leaveRoom() {
    constexpr std::int64_t kRoom = 16;
    constexpr std::size_t kTightRows = 5;
    if (!options_.tight && rows_.size() - rows_.rows() >= kTightRows && limit_ == capacity_) {
        limit_ = capacity_ - capacity_ / kRoom;
    }
}

void PlanSearch::takeRows() {
    const Plan* const tightest = rows_.tightest();
    std::optional<Plan> tighter = tightest == nullptr ? std::nullopt : std::optional(*tightest);
    report_.plans = std::move(rows_).best(options_.top);
    if (tighter && !report_.plans.empty() &&
        report_.plans.front().memory.onDevice == Verdict::Fits &&
        tighter->step.step.value < report_.plans.front().step.step.value) {
        report_.tighter = std::move(tighter);
    }
}

/// Looks closer at what comes first; false where nothing waits any more.
bool PlanSearch::advance() {
    if (queue_.empty()) {
        return false;
    }
    ++report_.looks;
    if (queue_.top().look == Look::Bounded) {
        estimateNext();
        return true;
    }
    const Waiting next = queue_.top();
    queue_.pop();
    lookCloser(next);
    return true;
}

/// What the walk takes up to where it passes the limit, and the replay where it does not: the same
/// for one that an earlier search made. A layout costs as much to set up as some events to walk.
void PlanSearch::countWalk(const MemoryBreakdown& memory) {
    constexpr std::int64_t kOfEach = 3000;
    walked_ += kOfEach;
    ++layoutsWalked_;
    const StageMemory& fullest = memory.stages[memory.fullest];
    const Bytes around = memory.peak.lo - fullest.requested;
    for (const StageMemory& stage : memory.stages) {
        walked_ += stage.eventsWalked;
        if (stage.requested + around > Bytes(limit_)) {
            return;
        }
    }
    walked_ += fullest.eventsWalked;
}

/// Where the search was cut short before anything fitted: the layouts that need least.
Result<void> PlanSearch::tryLeanest() {
    FABRICAST_ASSIGN(const std::vector<Sized> leanest, smallest());
    for (const auto& [bytes, candidate] : leanest) {
        FABRICAST_TRY(watch_.check());
        accept(candidate, 0.0);
    }
    DistinctPlans found({.objective = options_.objective, .tight = options_.tight});
    for (Plan& plan : std::exchange(report_.plans, {})) {
        found.add(std::move(plan));
    }
    report_.plans = std::move(found).best(options_.top);
    return watch_.check();
}

/// Of a search that was cut short: how much better a layout may be that it did not come to.
void PlanSearch::sayWhatIsLeft() {
    if (!isTired() || queue_.empty()) {
        return;
    }
    std::string left = "others may fit";
    if (!report_.plans.empty()) {
        const Plan& best = report_.plans.front();
        const double value = leastMemory() ? static_cast<double>(best.memory.peak.value.count())
                                           : best.step.step.value.count();
        constexpr double kNoticed = 0.0005;
        const double better = 1.0 - queue_.top().value / value;
        left = better > kNoticed ? "others may be up to " + percent(better) +
                                       (leastMemory() ? " smaller" : " faster")
                                 : "none is better than the first, further rows may be missing";
        // What surely fits comes first, however slow it is.
        if (options_.distinct && best.memory.onDevice != Verdict::Fits) {
            left += "; one that surely fits may be among them";
        }
    }
    report_.cutShort =
        "the memory of " + std::to_string(layoutsWalked_) + " layouts was walked; " + left;
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

/// Whether a stack refuses a layout only because it is not modelled.
bool PlanSearch::isUnmodelled(std::uint32_t family, const Error& refusal) const {
    const std::optional<std::uint32_t> reason = space_.families[family].unmodelled;
    return reason && space_.reasons[*reason] == refusal.why;
}

/// Of a family that is not modelled, all layouts that there is room for are refused together.
void PlanSearch::refuseUnmodelled(std::uint32_t family, std::int64_t layouts) {
    if (layouts == 0) {  // no size of the micro-batch is left
        return;
    }
    const auto allowed = scenarios_.allowed({.family = family});
    if (allowed || isUnmodelled(family, allowed.error())) {
        const LayoutFamily& refused = space_.families[family];
        refusals_[{refused.stack, space_.reasons[*refused.unmodelled]}] += layouts;
    }
}

/// A stack that refuses all its layouts says why.
Result<std::vector<bool>> PlanSearch::stacksThatRun() {
    std::vector<bool> runs(task_.stacks.size(), false);
    std::vector<std::string> why(task_.stacks.size());
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        const std::uint32_t stack = space_.families[family].stack;
        if (runs[stack]) {
            continue;
        }
        FABRICAST_TRY(watch_.check());
        for (const Candidate& candidate : space_.candidatesOf(family)) {
            const auto allowed = scenarios_.allowed(candidate);
            if (allowed || isUnmodelled(family, allowed.error())) {
                runs[stack] = true;
                break;
            }
            why[stack] = why[stack].empty() ? allowed.error().why : why[stack];
        }
    }
    for (std::size_t stack = 0; stack < runs.size(); ++stack) {
        if (!runs[stack] && !why[stack].empty()) {
            report_.rejections.push_back(
                {std::string(task_.stacks[stack].stack->name), 0, why[stack]});
        }
    }
    return runs;
}

/// How many sizes of the micro-batch leave room for states and inputs: larger ones leave less.
Result<std::size_t> PlanSearch::roomySizes(std::uint32_t family) {
    const std::vector<MicroBatchSize>& sizes = space_.sizesOf(family);
    const Candidate first{.family = family};
    FABRICAST_ASSIGN(const Settings* usual,
                     scenarios_.usual(space_.families[family].stack, space_.layoutOf(first)));
    std::size_t roomy = 0;
    while (roomy < sizes.size() && memory_.fitsHost(family, *usual)) {
        const Candidate candidate{.family = family, .size = static_cast<std::uint16_t>(roomy)};
        if (memory_.fromCounts(candidate, *usual) > capacity_) {
            break;
        }
        ++roomy;
    }
    return roomy;
}

void PlanSearch::addToBlock(std::uint32_t family) {
    const LayoutFamily& mine = space_.families[family];
    const Layout& layout = mine.layout;
    const GroupKey key{mine.stack,
                       layout.tp,
                       layout.cp,
                       layout.ep,
                       layout.etp,
                       layout.cpKind,
                       layout.shard,
                       layout.sp,
                       layout.pp > 1,
                       layout.dp > 1,
                       layout.replicas() > 1};
    const auto [at, isNew] = groupOfKey_.emplace(key, static_cast<std::uint32_t>(groups_.size()));
    if (isNew) {
        const std::size_t kinds = space_.recomputes[mine.stack].size();
        groups_.push_back({.families = {},
                           .first = std::vector<std::size_t>(kinds),
                           .waits = std::vector<LayerWaits>(kinds),
                           .room = std::vector<std::vector<std::size_t>>(kinds)});
    }
    groups_[at->second].families.push_back(family);
    groupOf_[family] = at->second;
}

Result<void> PlanSearch::fillQueue() {
    FABRICAST_ASSIGN(const std::vector<bool> runs, stacksThatRun());
    report_.refused = std::ranges::find(runs, true) == runs.end();
    for (const std::vector<RecomputeSettings>& kinds : space_.recomputes) {
        kinds_ = std::max(kinds_, kinds.size());
    }
    refused_.resize(space_.families.size() * kinds_);
    refusedWhole_.resize(space_.families.size());
    std::size_t orders = 0;
    for (const LayoutFamily& family : space_.families) {
        firstOrder_.push_back(orders);
        orders += space_.ways[family.ways].size();
    }
    tooLarge_.resize(orders * kinds_, std::numeric_limits<std::uint16_t>::max());
    tails_.resize(orders);
    roomy_.resize(space_.families.size());
    groupOf_.resize(space_.families.size());
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        FABRICAST_TRY(watch_.check());
        // Where none runs, what they would be is all there is to count.
        if (!report_.refused && !runs[space_.families[family].stack]) {
            continue;
        }
        FABRICAST_TRY(count(family));
    }
    return waitByCount();
}

/// What there is room for waits to be looked at. What is not modelled is counted by itself.
Result<void> PlanSearch::count(std::uint32_t family) {
    if (!space_.sizesOf(family).empty()) {
        FABRICAST_ASSIGN(roomy_[family], roomySizes(family));
    }
    const std::int64_t roomy = space_.count(family, roomy_[family]);
    if (space_.families[family].unmodelled) {
        refuseUnmodelled(family, roomy);
        return {};
    }
    report_.candidates += space_.count(family);
    report_.feasible += roomy;
    if (roomy > 0 && !report_.refused) {
        addToBlock(family);
    }
    return {};
}

/// Groups of one kind of block, each by what the layers multiply.
Result<void> PlanSearch::waitByCount() {
    std::vector<Waiting> waiting;
    for (const Block& group : groups_) {
        const std::uint32_t family = group.families.front();
        const std::uint32_t stack = space_.families[family].stack;
        const Candidate any{.family = family};
        FABRICAST_ASSIGN(const Settings* usual, scenarios_.usual(stack, space_.layoutOf(any)));
        const double perFlop = leastPerFlop(*usual, forecast_.estimator().limits());
        for (std::size_t kind = 0; kind < group.waits.size(); ++kind) {
            const Candidate first{.family = family, .recompute = static_cast<std::uint16_t>(kind)};
            const bool all = space_.recomputes[stack][kind].kind == Checkpointing::Full;
            const double value = leastMemory() ? 0.0 : time_.fromFlops(*usual, all, perFlop);
            waiting.push_back({value, first, Look::Counted});
        }
    }
    queue_ = std::priority_queue<Waiting>({}, std::move(waiting));
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
        const ModelTime& blocks = blocks_.of(candidate, **scenario)->time;
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
