#include "planner/search/plan_search.h"

#include "planner/base/parallel_map.h"
#include "planner/memory/estimate_memory.h"
#include "planner/memory/runtime_overhead.h"
#include "planner/memory/walk_stage.h"
#include "planner/search/plan_of.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Candidates estimated at once, whatever the number of threads.
constexpr std::size_t kBatch = 8;
/// Layouts walked where nothing fits, and those that they are chosen from.
constexpr std::size_t kMostMisses = 3;
constexpr std::size_t kMissesWalked = 12;
constexpr std::size_t kMissesBounded = 2000;
constexpr std::uint16_t kMissesSizes = 3;  ///< the smallest micro-batches

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
      capacity_(task.base.cluster.node.gpu.capacity().value->count()),
      limit_(capacity_) {}

Result<PlanReport> PlanSearch::run() {
    report_.question = task_.base;
    report_.objective = options_.objective;
    for (const RefusedStack& refused : space_.refused) {
        report_.rejections.push_back(
            {std::string(task_.stacks[refused.stack].stack->name), 0, refused.why});
    }
    FABRICAST_TRY(fillQueue());
    while (report_.plans.size() < options_.top && advance()) {
    }
    if (report_.plans.empty()) {
        findMisses();
    }
    report_.pareto = paretoOf(report_.plans);
    report_.wholeFront = options_.pareto;
    if (options_.pareto && !report_.plans.empty()) {
        extendFront();
    }
    addRefusals();
    return std::move(report_);
}

/// Looks closer at what comes first; false where nothing waits any more.
bool PlanSearch::advance() {
    if (queue_.empty()) {
        return false;
    }
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
void PlanSearch::extendFront() {
    const std::size_t plans = report_.plans.size();
    const auto tighten = [this](const Plan& leanest) {
        limit_ = leanest.memory.peak.value.count() - capacity_ / 64;
    };
    tighten(report_.pareto.back());
    while (advance()) {
        if (report_.plans.size() > plans) {
            report_.pareto.push_back(std::move(report_.plans.back()));
            report_.plans.pop_back();
            tighten(report_.pareto.back());
        }
    }
}

/// A stack that refuses all its layouts says why.
std::vector<bool> PlanSearch::stacksThatRun() {
    std::vector<bool> runs(task_.stacks.size(), false);
    std::vector<std::string> why(task_.stacks.size());
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        const std::uint32_t stack = space_.families[family].stack;
        if (runs[stack]) {
            continue;
        }
        for (const Candidate& candidate : space_.candidatesOf(family)) {
            const auto allowed = scenarios_.allowed(candidate);
            if (allowed) {
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
    while (roomy < sizes.size()) {
        const Candidate candidate{.family = family, .size = static_cast<std::uint16_t>(roomy)};
        if (memory_.fromCounts(candidate, *usual) > capacity_) {
            break;
        }
        report_.feasible += static_cast<std::int64_t>(sizes[roomy].ways.size() *
                                                      space_.recomputesOf(family).size());
        ++roomy;
    }
    return roomy;
}

Result<void> PlanSearch::fillQueue() {
    const std::vector<bool> runs = stacksThatRun();
    std::vector<Waiting> waiting;
    roomy_.resize(space_.families.size());
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        report_.candidates += space_.count(family);
        if (space_.sizesOf(family).empty()) {
            continue;
        }
        FABRICAST_ASSIGN(roomy_[family], roomySizes(family));
        const std::uint32_t stack = space_.families[family].stack;
        for (std::size_t kind = 0; kind < space_.recomputes[stack].size(); ++kind) {
            const Candidate first{.family = family, .recompute = static_cast<std::uint16_t>(kind)};
            if (roomy_[family] > 0 && runs[stack]) {
                FABRICAST_ASSIGN(const Settings* usual,
                                 scenarios_.usual(stack, space_.layoutOf(first)));
                const bool all = space_.recomputes[stack][kind].kind == Checkpointing::Full;
                const double value =
                    leastMemory()
                        ? static_cast<double>(memory_.fromCounts(first, *usual))
                        : time_.fromFlops(*usual, all, forecast_.estimator().leastPerFlop(*usual));
                waiting.push_back({value, first, Look::Counted});
            }
        }
    }
    queue_ = std::priority_queue<Waiting>({}, std::move(waiting));
    return {};
}

void PlanSearch::lookCloser(const Waiting& waiting) {
    switch (waiting.look) {
        case Look::Counted:
            sample(waiting);
            break;
        case Look::Sampled:
            open(waiting);
            break;
        case Look::Sized:
            if (bound(waiting)) {
                waitForNextSize(waiting);
            }
            break;
        case Look::Bounded:
        case Look::Known:
            accept(waiting.candidate);
            break;
    }
}

/// Its first layout and its last are refused for the same reason.
bool PlanSearch::isRefused(const Candidate& group) {
    const auto why = [this](const Candidate& candidate) {
        const auto allowed = scenarios_.allowed(candidate);
        return allowed ? std::string() : allowed.error().why;
    };
    const std::string first = why(group);
    if (first.empty()) {
        return false;
    }
    Candidate last = group;
    last.size = static_cast<std::uint16_t>(space_.sizesOf(group.family).size() - 1);
    const std::size_t ways = space_.ways[space_.families[group.family].ways].size();
    last.way = static_cast<std::uint16_t>(ways - 1);
    return why(last) == first;
}

void PlanSearch::sample(const Waiting& waiting) {
    if (isRefused(waiting.candidate)) {
        return;
    }
    const auto scenario = scenarios_.of(waiting.candidate);
    if (!scenario) {
        refuse(waiting.candidate, scenario.error().why);
        return;
    }
    const Result<ModelTime>& least = blocks_.leastPerSample(waiting.candidate, **scenario);
    if (!least) {
        refuse(waiting.candidate, least.error().why);
        return;
    }
    const double value =
        leastMemory() ? waiting.value : time_.fromSamples((*scenario)->layout, *least);
    queue_.push({std::max(waiting.value, value), waiting.candidate, Look::Sampled});
}

/// The smallest micro-batch of each pipeline order.
void PlanSearch::open(const Waiting& waiting) {
    const std::uint32_t family = waiting.candidate.family;
    const std::size_t ways = space_.ways[space_.families[family].ways].size();
    for (std::size_t way = 0; way < ways; ++way) {
        Candidate candidate = waiting.candidate;
        candidate.way = static_cast<std::uint16_t>(way);
        wait(candidate, waiting.value);
    }
}

/// The layout, or, where its order does not take so many microbatches, the next size.
void PlanSearch::wait(Candidate candidate, double atLeast) {
    const std::vector<MicroBatchSize>& sizes = space_.sizesOf(candidate.family);
    const auto takes = [&](std::uint16_t size) {
        return std::binary_search(sizes[size].ways.begin(), sizes[size].ways.end(), candidate.way);
    };
    while (candidate.size < roomy_[candidate.family] && !takes(candidate.size)) {
        ++candidate.size;
    }
    if (candidate.size >= roomy_[candidate.family]) {
        return;
    }
    if (leastMemory()) {
        queue_.push({atLeast, candidate, Look::Sized});
        return;
    }
    const auto scenario = scenarios_.of(candidate);
    const Result<ModelTime>& least = blocks_.leastPerSample(candidate, **scenario);
    const auto samples = static_cast<double>(space_.samplesOf(candidate));
    const Result<double> bound =
        time_.fromBlocks(candidate, **scenario, {.time = *least, .scale = samples});
    if (!bound) {
        refuse(candidate, bound.error().why);
        return;
    }
    queue_.push({std::max(atLeast, *bound), candidate, Look::Sized});
}

/// Larger micro-batches lose more to the pipeline's ends: none waits for less than the one before.
void PlanSearch::waitForNextSize(const Waiting& waiting) {
    Candidate next = waiting.candidate;
    ++next.size;
    wait(next, waiting.value);
}

/// False where larger micro-batches cannot fit either: they keep as much or more.
bool PlanSearch::bound(const Waiting& waiting) {
    const Candidate& candidate = waiting.candidate;
    const auto scenario = scenarios_.allowed(candidate);
    if (!scenario) {
        return true;
    }
    const Result<BlockCost>& cost = blocks_.of(candidate, **scenario);
    if (!cost) {
        refuse(candidate, cost.error().why);
        return true;
    }
    const Result<std::int64_t> bytes = memory_.fromOrder(candidate, **scenario, *cost, limit_);
    if (!bytes) {
        refuse(candidate, bytes.error().why);
        return true;
    }
    if (*bytes > limit_) {
        return false;
    }
    const Result<double> bound = time_.fromBlocks(
        candidate,
        **scenario,
        {.time = cost->time, .exposed = blocks_.exposures(candidate, **scenario, cost->time)});
    if (!bound) {
        refuse(candidate, bound.error().why);
        return true;
    }
    const double value = leastMemory() ? static_cast<double>(*bytes) : *bound;
    queue_.push({std::max(waiting.value, value), candidate, Look::Bounded});
    return true;
}

/// The first few that wait by their bound, and nothing behind one that is known.
void PlanSearch::estimateNext() {
    std::vector<Estimated> batch;
    while (!queue_.empty() && queue_.top().look == Look::Bounded && batch.size() < kBatch) {
        const Candidate candidate = queue_.top().candidate;
        queue_.pop();
        if (const auto scenario = scenarios_.of(candidate)) {
            batch.push_back({candidate, &blocks_.of(candidate, **scenario)->time});
        }
    }
    const std::vector<Result<StepEstimate>> steps = forecast_.steps(batch);
    const std::vector<Bytes> peaks = peaksOf(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Candidate& candidate = batch[i].candidate;
        if (!steps[i]) {
            refuse(candidate, steps[i].error().why);
            continue;
        }
        known_.emplace(candidate, *steps[i]);
        const double value =
            leastMemory() ? static_cast<double>(peaks[i].count()) : steps[i]->step.value.count();
        queue_.push({value, candidate, Look::Known});
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
        const auto memory = scenario ? judgeFullest(**scenario) : tl::unexpected(scenario.error());
        return memory ? memory->peak.value : Bytes{};
    };
    return *parallelMap(batch, peak, {.threads = options_.threads});
}

/// The stage that is most often the fullest does not fit.
bool PlanSearch::surelyTooLarge(const Scenario& scenario) const {
    const RuntimeOverhead overhead = runtimeOverhead(scenario);
    const Bytes beside = overhead.context.lo + overhead.collectives.lo;
    const auto first = walkStage(scenario, {.stage = 0}, Allocator::PeakOnly);
    return first && (first->requested + beside).count() > limit_;
}

void PlanSearch::accept(const Candidate& candidate) {
    const auto scenario = scenarios_.of(candidate);
    if (scenario && !surelyTooLarge(**scenario)) {
        Result<MemoryBreakdown> memory = judgeFullest(**scenario);
        if (!memory) {
            refuse(candidate, memory.error().why);
        } else if (memory->verdict != Verdict::DoesNotFit && isLean(*memory)) {
            report_.plans.push_back(
                {**scenario, std::move(known_.at(candidate)), *std::move(memory)});
        }
    }
    known_.erase(candidate);
}

/// Of the smallest micro-batches, those that need least in their order.
std::vector<Candidate> PlanSearch::smallest() {
    std::vector<std::pair<std::int64_t, Candidate>> found;
    const auto takeLeast = [&found](std::size_t most) {
        const std::size_t kept = std::min(found.size(), most);
        std::partial_sort(
            found.begin(), found.begin() + static_cast<std::ptrdiff_t>(kept), found.end());
        found.resize(kept);
    };
    for (std::uint32_t family = 0; family < space_.families.size(); ++family) {
        for (const Candidate& candidate : space_.candidatesOf(family)) {
            const auto usual =
                scenarios_.usual(space_.families[family].stack, space_.layoutOf(candidate));
            if (candidate.size < kMissesSizes && usual) {
                found.emplace_back(memory_.fromCounts(candidate, **usual), candidate);
            }
        }
    }
    takeLeast(kMissesBounded);
    std::erase_if(found, [&](std::pair<std::int64_t, Candidate>& waiting) {
        const auto scenario = scenarios_.allowed(waiting.second);
        if (!scenario) {
            return true;
        }
        const Result<BlockCost>& cost = blocks_.of(waiting.second, **scenario);
        const auto bytes = cost ? memory_.fromOrder(waiting.second, **scenario, *cost)
                                : tl::unexpected(cost.error());
        waiting.first = bytes.value_or(waiting.first);
        return !bytes;
    });
    takeLeast(kMissesWalked);
    std::vector<Candidate> candidates;
    for (const auto& [bytes, candidate] : found) {
        candidates.push_back(candidate);
    }
    return candidates;
}

void PlanSearch::findMisses() {
    std::vector<Plan> misses;
    for (const Candidate& candidate : smallest()) {
        const auto scenario = scenarios_.of(candidate);
        if (!scenario) {
            continue;
        }
        if (Result<MemoryBreakdown> memory = judgeFullest(**scenario)) {
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
    ++refusals_[{space_.families[candidate.family].stack, why}];
}

void PlanSearch::addRefusals() {
    for (const auto& [what, layouts] : refusals_) {
        report_.rejections.push_back(
            {std::string(task_.stacks[what.first].stack->name), layouts, what.second});
    }
}

}  // namespace fabricast
