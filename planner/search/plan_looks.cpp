#include "planner/base/parallel_map.h"
#include "planner/memory/memory_of_stages.h"
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
            link(waiting);
            break;
        case Look::Linked:
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
            accept(waiting.candidate, waiting.value);
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

/// Leaves out families at the front that the stack refuses.
void PlanSearch::link(const Waiting& waiting) {
    Block& group = groups_[groupOf_[waiting.candidate.family]];
    const std::size_t kind = waiting.candidate.recompute;
    Candidate candidate = waiting.candidate;
    for (std::size_t& at = group.first[kind]; at < group.families.size(); ++at) {
        candidate.family = group.families[at];
        if (!isRefused(candidate)) {
            break;
        }
    }
    if (group.first[kind] == group.families.size()) {
        return;
    }
    candidate.size = static_cast<std::uint16_t>(space_.sizesOf(candidate.family).size() - 1);
    double value = waiting.value;
    if (const auto scenario = scenarios_.of(candidate)) {
        const Result<LayerWaits> waits = forecast_.estimator().leastWaits(**scenario);
        group.waits[kind] = waits.value_or(LayerWaits{});
        value += leastMemory() ? 0.0 : time_.fromWaits((*scenario)->layout, group.waits[kind]);
    }
    queue_.push({value, waiting.candidate, Look::Linked});
}

void PlanSearch::sample(const Waiting& waiting) {
    const Block& group = groups_[groupOf_[waiting.candidate.family]];
    const std::size_t kind = waiting.candidate.recompute;
    Candidate candidate = waiting.candidate;
    candidate.family = group.families[group.first[kind]];
    const auto scenario = scenarios_.of(candidate);
    if (!scenario) {
        refuse(candidate, scenario.error().why);
        return;
    }
    const Result<ModelTime>& least = blocks_.leastPerSample(candidate, **scenario);
    if (!least) {
        refuse(candidate, least.error().why);
        return;
    }
    const Layout& layout = (*scenario)->layout;
    const double value = leastMemory() ? waiting.value
                                       : time_.fromSamples(layout, *least) +
                                             time_.fromWaits(layout, group.waits[kind]);
    queue_.push({std::max(waiting.value, value), waiting.candidate, Look::Sampled});
}

/// The smallest micro-batch of each family and pipeline order.
void PlanSearch::open(const Waiting& waiting) {
    const Block& group = groups_[groupOf_[waiting.candidate.family]];
    Candidate candidate = waiting.candidate;
    for (std::size_t at = group.first[candidate.recompute]; at < group.families.size(); ++at) {
        candidate.family = group.families[at];
        candidate.way = 0;
        if (isRefused(candidate)) {
            continue;
        }
        const std::size_t ways = space_.ways[space_.families[candidate.family].ways].size();
        for (std::size_t way = 0; way < ways; ++way) {
            candidate.way = static_cast<std::uint16_t>(way);
            wait(candidate, waiting.value);
        }
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
    const auto scenario = scenarios_.of(candidate);
    if (!scenario) {
        refuse(candidate, scenario.error().why);
        return;
    }
    if (leastMemory()) {
        const auto bytes =
            static_cast<double>(memory_.fromCounts(candidate, (*scenario)->settings));
        queue_.push({std::max(atLeast, bytes), candidate, Look::Sized});
        return;
    }
    const Result<ModelTime>& least = blocks_.leastPerSample(candidate, **scenario);
    const LayerWaits& waits = groups_[groupOf_[candidate.family]].waits[candidate.recompute];
    const Result<double> bound = time_.fromOrder(candidate, **scenario, *least, waits);
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

/// What its chunks take at least, in its pipeline's order.
Result<double> PlanSearch::closestTime(const Candidate& candidate, const ModelTime& blocks) {
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(candidate));
    FABRICAST_ASSIGN(const std::vector<std::int64_t>* layers, time_.layersOf(candidate, *scenario));
    FABRICAST_ASSIGN(const StepFloor floor,
                     forecast_.estimator().floor(
                         *scenario, blocks, *layers, blocks_.floorsOf(candidate, *scenario)));
    return time_.fromFloor(candidate, *scenario, floor);
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
    const double least = leastMemory() ? static_cast<double>(*bytes) : 0.0;
    waitBounded(candidate, cost->time, std::max(waiting.value, least));
    if (space_.families[candidate.family].swaps) {
        Candidate swapped = candidate;
        swapped.swapped = true;
        waitBounded(swapped, cost->time, std::max(waiting.value, least));
    }
    return true;
}

void PlanSearch::waitBounded(const Candidate& candidate, const ModelTime& blocks, double atLeast) {
    double value = atLeast;
    if (!leastMemory()) {
        const Result<double> bound = closestTime(candidate, blocks);
        if (!bound) {
            refuse(candidate, bound.error().why);
            return;
        }
        value = std::max(value, *bound);
    }
    queue_.push({value, candidate, Look::Bounded});
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
    const std::vector<Result<double>> steps = forecast_.seconds(batch, watch_);
    const std::vector<Bytes> peaks = peaksOf(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Candidate& candidate = batch[i].candidate;
        if (!steps[i]) {
            refuse(candidate, steps[i].error().why);
            continue;
        }
        const double value = leastMemory() ? static_cast<double>(peaks[i].count()) : *steps[i];
        queue_.push({value, candidate, Look::Known});
    }
}

/// Where the objective is memory: what the walk finds.
std::vector<Bytes> PlanSearch::peaksOf(const std::vector<Estimated>& batch) {
    if (!leastMemory()) {
        return {};
    }
    const auto peak = [this](const Estimated& estimated) {
        if (watch_.stopped()) {
            return Bytes{};
        }
        CandidateScenarios scenarios(task_, space_);
        const auto scenario = scenarios.of(estimated.candidate);
        const auto memory =
            scenario ? memoryOfFullestStage(**scenario) : tl::unexpected(scenario.error());
        return memory ? memory->peak.value : Bytes{};
    };
    return *parallelMap(batch, peak, {.threads = options_.threads});
}

}  // namespace fabricast
