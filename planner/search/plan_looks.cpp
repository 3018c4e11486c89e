#include "planner/base/parallel_map.h"
#include "planner/memory/estimate_memory.h"
#include "planner/search/plan_search.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Candidates estimated at once, whatever the number of threads.
constexpr std::size_t kBatch = 8;

}  // namespace

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
    const double value = leastMemory() ? waiting.value : time_.fromSamples(**scenario, *least);
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
    if (!scenario) {
        refuse(candidate, scenario.error().why);
        return;
    }
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
    const Result<double> bound =
        time_.fromBlocks(candidate,
                         **scenario,
                         {.time = cost->time,
                          .exposed = blocks_.exposures(candidate, **scenario, cost->time),
                          .copied = true});
    if (!bound) {
        refuse(candidate, bound.error().why);
        return true;
    }
    const double value = leastMemory() ? static_cast<double>(*bytes) : *bound;
    Waiting bounded{std::max(waiting.value, value), candidate, Look::Bounded};
    queue_.push(bounded);
    if (space_.families[candidate.family].swaps) {
        bounded.candidate.swapped = true;  // no bound knows the network
        queue_.push(bounded);
    }
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

}  // namespace fabricast
