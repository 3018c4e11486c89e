#include "planner/search/plan_search.h"

#include "planner/base/parallel_map.h"
#include "planner/memory/estimate_memory.h"
#include "planner/memory/runtime_overhead.h"
#include "planner/memory/walk_stage.h"
#include "planner/search/plan_of.h"

#include <algorithm>
#include <set>

namespace fabricast {

namespace {

/// Candidates estimated at once, whatever the number of threads.
constexpr std::size_t kBatch = 8;
/// Layouts walked where nothing fits, and those that they are chosen from.
constexpr std::size_t kMostMisses = 3;
constexpr std::size_t kMissesWalked = 12;
constexpr std::size_t kMissesBounded = 2000;

}  // namespace

PlanSearch::PlanSearch(const SearchTask& task,
                       const SearchSpace& space,
                       const SearchOptions& options,
                       LayoutForecast forecast)
    : task_(task),
      space_(space),
      options_(options),
      forecast_(std::move(forecast)),
      scenarios_(task, space),
      blocks_(task, space, forecast_.estimator()),
      memory_(task, space),
      time_(task, space),
      capacity_(task.base.cluster.node.gpu.capacity().value->count()) {}

Result<PlanReport> PlanSearch::run() {
    report_.question = task_.base;
    report_.objective = options_.objective;
    report_.candidates = static_cast<std::int64_t>(space_.candidates.size());
    for (const RefusedStack& refused : space_.refused) {
        report_.rejections.push_back(
            {std::string(task_.stacks[refused.stack].stack->name), 0, refused.why});
    }
    FABRICAST_TRY(fillQueue());
    while (!queue_.empty() && report_.plans.size() < options_.top) {
        const Waiting next = queue_.top();
        if (next.look == Look::Bounded) {
            estimateNext();
            continue;
        }
        queue_.pop();
        if (next.look == Look::Known) {
            accept(next.candidate);
        } else {
            lookCloser(next);
        }
    }
    if (report_.plans.empty()) {
        findMisses();
    }
    addRefusals();
    report_.pareto = paretoOf(report_.plans);
    return std::move(report_);
}

/// A stack that refuses all its layouts says why.
std::vector<bool> PlanSearch::stacksThatRun() {
    std::vector<bool> runs(task_.stacks.size(), false);
    std::vector<std::string> why(task_.stacks.size());
    for (const Candidate& candidate : space_.candidates) {
        const std::uint32_t stack = space_.familyOf(candidate).stack;
        if (runs[stack]) {
            continue;
        }
        const auto allowed = scenarios_.allowed(candidate);
        runs[stack] = allowed.has_value();
        if (!allowed && why[stack].empty()) {
            why[stack] = allowed.error().why;
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

/// Those whose states and inputs alone leave room.
Result<void> PlanSearch::fillQueue() {
    const std::vector<bool> runs = stacksThatRun();
    std::vector<Waiting> waiting;
    leastBytes_.resize(space_.candidates.size());
    const Settings* usual = nullptr;
    double perFlop = 0.0;
    std::uint32_t family = ~0U;
    for (std::uint32_t i = 0; i < space_.candidates.size(); ++i) {
        const Candidate& candidate = space_.candidates[i];
        const LayoutFamily& mine = space_.familyOf(candidate);
        if (candidate.family != family) {
            family = candidate.family;
            FABRICAST_ASSIGN(usual, scenarios_.usual(mine.stack, space_.layoutOf(candidate)));
            perFlop = forecast_.estimator().leastPerFlop(*usual);
        }
        leastBytes_[i] = memory_.fromCounts(candidate, *usual);
        if (leastBytes_[i] > capacity_ || !runs[mine.stack]) {
            continue;
        }
        const Checkpointing kind = space_.recomputes[mine.stack][candidate.recompute].kind;
        const double value = leastMemory()
                                 ? static_cast<double>(leastBytes_[i])
                                 : time_.fromFlops(*usual, kind == Checkpointing::Full, perFlop);
        waiting.push_back({value, i, Look::Counted});
    }
    report_.feasible = static_cast<std::int64_t>(waiting.size());
    queue_ = std::priority_queue<Waiting>({}, std::move(waiting));
    return {};
}

void PlanSearch::lookCloser(const Waiting& waiting) {
    const Candidate& candidate = space_.candidates[waiting.candidate];
    const bool first = waiting.look == Look::Counted;
    const auto scenario = first ? scenarios_.allowed(candidate) : scenarios_.of(candidate);
    if (scenario) {
        look(waiting, **scenario);
    } else if (!first) {
        refuse(candidate, scenario.error().why);
    }
}

void PlanSearch::look(const Waiting& waiting, const Scenario& scenario) {
    const Candidate& candidate = space_.candidates[waiting.candidate];
    if (waiting.look == Look::Counted && !leastMemory()) {
        const Result<double>& least = blocks_.leastPerSample(candidate, scenario);
        if (!least) {
            refuse(candidate, least.error().why);
            return;
        }
        const double value = std::max(waiting.value, time_.fromSamples(scenario.layout, *least));
        queue_.push({value, waiting.candidate, Look::Sampled});
        return;
    }
    const Result<BlockCost>& cost = blocks_.of(candidate, scenario);
    if (!cost) {
        refuse(candidate, cost.error().why);
        return;
    }
    const Result<std::int64_t> bytes = memory_.fromOrder(candidate, scenario, *cost);
    if (!bytes) {
        refuse(candidate, bytes.error().why);
        return;
    }
    leastBytes_[waiting.candidate] = std::max(leastBytes_[waiting.candidate], *bytes);
    if (*bytes > capacity_) {
        return;
    }
    if (leastMemory()) {
        queue_.push({static_cast<double>(*bytes), waiting.candidate, Look::Bounded});
        return;
    }
    const Result<double> bound = time_.fromBlocks(
        candidate, scenario, cost->time, blocks_.exposures(candidate, scenario, cost->time));
    if (!bound) {
        refuse(candidate, bound.error().why);
        return;
    }
    queue_.push({std::max(waiting.value, *bound), waiting.candidate, Look::Bounded});
}

/// The first few that wait by their bound, and nothing behind one that is known.
void PlanSearch::estimateNext() {
    std::vector<Estimated> batch;
    std::vector<std::uint32_t> places;
    while (!queue_.empty() && queue_.top().look == Look::Bounded && batch.size() < kBatch) {
        const std::uint32_t index = queue_.top().candidate;
        const Candidate& candidate = space_.candidates[index];
        queue_.pop();
        if (const auto scenario = scenarios_.of(candidate)) {
            batch.push_back({candidate, &blocks_.of(candidate, **scenario)->time});
            places.push_back(index);
        }
    }
    const std::vector<Result<StepEstimate>> steps = forecast_.steps(batch);
    const std::vector<Bytes> peaks = peaksOf(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        if (!steps[i]) {
            refuse(batch[i].candidate, steps[i].error().why);
            continue;
        }
        known_.emplace(places[i], *steps[i]);
        const double value =
            leastMemory() ? static_cast<double>(peaks[i].count()) : steps[i]->step.value.count();
        queue_.push({value, places[i], Look::Known});
    }
}

/// Where the objective is memory: what the walk finds.
std::vector<Bytes> PlanSearch::peaksOf(const std::vector<Estimated>& batch) {
    if (!leastMemory()) {
        return {};
    }
    const auto peak = [this](const Estimated& estimated) {
        CandidateScenarios scenarios(task_, space_);
        const auto scenario = scenarios.of(estimated.candidate);
        const auto memory = scenario ? judgeMemory(**scenario) : tl::unexpected(scenario.error());
        return memory ? memory->peak.value : Bytes{};
    };
    return *parallelMap(batch, peak, {.threads = options_.threads});
}

/// One of the stages that are often the fullest does not fit.
bool PlanSearch::surelyTooLarge(const Scenario& scenario) const {
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    const std::int64_t beside = (overhead.context.lo + overhead.collectives.lo).count();
    const std::int64_t last = scenario.layout.pp - 1;
    const std::set<std::int64_t> stages{0, std::min<std::int64_t>(1, last), last};
    return std::any_of(stages.begin(), stages.end(), [&](std::int64_t stage) {
        const auto walked = walkStage(scenario, {.stage = stage}, Allocator::PeakOnly);
        return walked && walked->requested.count() + beside > capacity_;
    });
}

void PlanSearch::accept(std::uint32_t index) {
    const Candidate& candidate = space_.candidates[index];
    const auto scenario = scenarios_.of(candidate);
    if (scenario && !surelyTooLarge(**scenario)) {
        Result<MemoryBreakdown> memory = judgeMemory(**scenario);
        if (!memory) {
            refuse(candidate, memory.error().why);
        } else if (memory->verdict != Verdict::DoesNotFit) {
            report_.plans.push_back({**scenario, std::move(known_.at(index)), *std::move(memory)});
        }
    }
    known_.erase(index);
}

/// Of the layouts that need least by their counts, those that need least in their order.
std::vector<std::uint32_t> PlanSearch::smallest() {
    std::vector<std::uint32_t> order(space_.candidates.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
        order[i] = i;
    }
    const auto takeLeast = [&](std::size_t most) {
        const std::size_t kept = std::min(order.size(), most);
        std::partial_sort(order.begin(),
                          order.begin() + static_cast<std::ptrdiff_t>(kept),
                          order.end(),
                          [&](std::uint32_t a, std::uint32_t b) {
                              return std::pair(leastBytes_[a], a) < std::pair(leastBytes_[b], b);
                          });
        order.resize(kept);
    };
    takeLeast(kMissesBounded);
    std::erase_if(order, [&](std::uint32_t index) {
        const Candidate& candidate = space_.candidates[index];
        const auto scenario = scenarios_.allowed(candidate);
        if (!scenario) {
            return true;
        }
        const Result<BlockCost>& cost = blocks_.of(candidate, **scenario);
        const auto bytes =
            cost ? memory_.fromOrder(candidate, **scenario, *cost) : tl::unexpected(cost.error());
        leastBytes_[index] = bytes.value_or(leastBytes_[index]);
        return !bytes;
    });
    takeLeast(kMissesWalked);
    return order;
}

void PlanSearch::findMisses() {
    std::vector<Plan> misses;
    for (const std::uint32_t index : smallest()) {
        const auto scenario = scenarios_.of(space_.candidates[index]);
        if (!scenario) {
            continue;
        }
        if (Result<MemoryBreakdown> memory = judgeMemory(**scenario)) {
            misses.push_back({**scenario, {}, *std::move(memory)});
        }
    }
    std::stable_sort(misses.begin(), misses.end(), [](const Plan& a, const Plan& b) {
        return a.memory.peak.value < b.memory.peak.value;
    });
    misses.resize(std::min(misses.size(), kMostMisses));
    if (!misses.empty() && options_.suggestFixes) {
        addFixes(misses.front());
    }
    report_.misses = std::move(misses);
}

void PlanSearch::refuse(const Candidate& candidate, const std::string& why) {
    ++refusals_[{space_.familyOf(candidate).stack, why}];
}

void PlanSearch::addRefusals() {
    for (const auto& [what, layouts] : refusals_) {
        report_.rejections.push_back(
            {std::string(task_.stacks[what.first].stack->name), layouts, what.second});
    }
}

}  // namespace fabricast
