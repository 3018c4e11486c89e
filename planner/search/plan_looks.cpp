#include "planner/base/parallel_map.h"
#include "planner/memory/overheads.h"
#include "planner/memory/stage_memory.h"
#include "planner/search/lower_bounds.h"
#include "planner/search/plan_search.h"

#include <algorithm>

namespace fabricast {

namespace {

/// Candidates estimated at once, whatever the number of threads.
constexpr std::size_t kBatch = 8;

/// The largest micro-batch that this order has.
std::uint16_t fewestMicroBatches(const std::vector<MicroBatchSize>& sizes, std::uint16_t way) {
    std::size_t size = sizes.size();
    while (size > 1 && std::ranges::find(sizes[size - 1].ways, way) == sizes[size - 1].ways.end()) {
        --size;
    }
    return static_cast<std::uint16_t>(size - 1);
}

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
            fit(waiting);
            break;
        case Look::Sized:
            time(waiting);
            break;
        case Look::Timed:
            open(waiting);
            break;
        case Look::Ordered:
            end(waiting);
            break;
        case Look::Ended:
            close(waiting);
            break;
        case Look::Closed:
            bound(waiting);
            break;
        case Look::Bounded:
        case Look::Known:
            ahead_.comesUp(
                {waiting.value, waiting.candidate},
                rows_,
                [this](const Candidate& candidate, const Scenario& scenario) {
                    return mostWalked(candidate, scenario);
                },
                watch_);
            accept(waiting.candidate, waiting.value);
            break;
    }
}

/// The layouts with this micro-batch of each family and pipeline order.
void PlanSearch::open(const Waiting& waiting) {
    const Block& group = groups_[groupOf_[waiting.candidate.family]];
    const std::int64_t samples = space_.samplesOf(waiting.candidate);
    Candidate candidate = waiting.candidate;
    for (std::size_t at = group.first[candidate.recompute]; at < group.families.size(); ++at) {
        candidate.family = group.families[at];
        const std::vector<MicroBatchSize>& sizes = space_.sizesOf(candidate.family);
        const auto size = std::ranges::find(sizes, samples, &MicroBatchSize::samples);
        candidate.size = static_cast<std::uint16_t>(size - sizes.begin());
        candidate.way = 0;
        if (candidate.size >= group.room[candidate.recompute][at] || asked_.refuses(candidate)) {
            continue;
        }
        for (const std::uint16_t way : size->ways) {
            candidate.way = way;
            wait(candidate, waiting.value);
        }
    }
}

void PlanSearch::wait(const Candidate& candidate, double atLeast) {
    constexpr std::int64_t kLooksToCome = 3;  // Ordered, Ended, Closed
    if (isTooLarge(candidate)) {
        return;
    }
    const auto scenario = scenarios_.of(candidate);
    if (scenario && !fitsInOrder(candidate, (*scenario)->settings)) {
        leastTooLarge(candidate) = candidate.size;
        return;
    }
    if (isPassedOver(candidate, kLooksToCome)) {
        return;
    }
    if (!scenario) {
        refuseTaken(candidate, scenario.error());
        return;
    }
    if (leastMemory()) {
        const auto bytes =
            static_cast<double>(memory_.fromCounts(candidate, (*scenario)->settings));
        enqueue({std::max(atLeast, bytes), candidate, Look::Ordered});
        return;
    }
    const LayerWaits& waits = groups_[groupOf_[candidate.family]].waits[candidate.recompute];
    const Result<double> bound =
        time_.fromOrder(candidate, **scenario, *blocks_.timeOf(candidate, **scenario), waits);
    if (!bound) {
        refuseTaken(candidate, bound.error());
        return;
    }
    enqueue({std::max(atLeast, stretched(*bound)), candidate, Look::Ordered});
}

/// Nothing is said of layouts that the stack refuses from this size of the micro-batch on. Most
/// come never as far as to be asked about.
void PlanSearch::refuseTaken(const Candidate& candidate, const Error& refusal) {
    Candidate first = candidate;
    first.way = 0;
    if (first.size == 0 || !asked_.refusesFrom(first)) {
        refuse(candidate, refusal.why);
    }
}

/// What follows its passes at least, in any micro-batch and on either side of dp.
double PlanSearch::tailOf(const Candidate& candidate) {
    std::optional<double>& known = tails_[orderOf(candidate)];
    if (known) {
        return *known;
    }
    Candidate least{.family = candidate.family, .way = candidate.way};
    least.size = fewestMicroBatches(space_.sizesOf(candidate.family), candidate.way);
    double tail = leastTail(least);
    if (space_.families[candidate.family].swaps) {
        least.swapped = true;
        tail = std::min(tail, leastTail(least));
    }
    known = stretched(tail);
    return *known;
}

/// How context ranks exchange keys changes nothing of it.
double PlanSearch::leastTail(const Candidate& candidate) {
    const auto scenario = scenarios_.of(candidate);
    if (!scenario) {
        return 0.0;
    }
    Layout layout = (*scenario)->layout;
    layout.cpKind = CpKind::Ring;
    const std::uint32_t stack = space_.families[candidate.family].stack;
    const auto [at, isNew] = tailOfLayout_.try_emplace({stack, layout});
    if (isNew) {
        at->second = forecast_.estimator().leastTail(**scenario).value_or(0.0);
    }
    return at->second;
}

/// What its chunks take at least, in its pipeline's order.
Result<double> PlanSearch::closestTime(const Candidate& candidate) {
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(candidate));
    const Result<ModelTime>& blocks = blocks_.timeOf(candidate, *scenario);
    if (!blocks) {
        return tl::unexpected(blocks.error());
    }
    FABRICAST_ASSIGN(const std::vector<std::int64_t>* layers, time_.layersOf(candidate, *scenario));
    FABRICAST_ASSIGN(const StepFloor floor,
                     forecast_.estimator().floor(
                         *scenario, *blocks, *layers, blocks_.floorsOf(candidate, *scenario)));
    FABRICAST_ASSIGN(const double seconds, time_.fromFloor(candidate, *scenario, floor));
    return stretched(seconds);
}

/// With what follows its passes.
void PlanSearch::end(const Waiting& waiting) {
    constexpr std::int64_t kLooksToCome = 2;  // Ended, Closed
    if (isTooLarge(waiting.candidate) || isPassedOver(waiting.candidate, kLooksToCome)) {
        return;
    }
    const double tail = leastMemory() ? 0.0 : tailOf(waiting.candidate);
    enqueue({waiting.value + tail, waiting.candidate, Look::Ended});
}

/// By its chunks' own passes.
void PlanSearch::close(const Waiting& waiting) {
    constexpr std::int64_t kLooksToCome = 1;  // Closed
    const Candidate& candidate = waiting.candidate;
    if (isTooLarge(candidate) || isPassedOver(candidate, kLooksToCome)) {
        return;
    }
    const Result<double> bound = leastMemory() ? waiting.value : closestTime(candidate);
    if (!bound) {
        refuseTaken(candidate, bound.error());
        return;
    }
    const double tail = leastMemory() ? 0.0 : tailOf(candidate);
    enqueue({std::max(waiting.value, *bound + tail), candidate, Look::Closed});
}

void PlanSearch::bound(const Waiting& waiting) {
    const Candidate& candidate = waiting.candidate;
    if (isTooLarge(candidate)) {
        return;
    }
    const auto scenario = scenarios_.allowed(candidate);
    if (!scenario) {
        return;
    }
    const Result<BlockCost>& cost = blocks_.of(candidate, **scenario);
    if (!cost) {
        refuse(candidate, cost.error().why);
        return;
    }
    const std::int64_t most = mostCounted(**scenario);
    const Result<std::int64_t> bytes = memory_.fromOrder(candidate, **scenario, *cost, most);
    if (!bytes) {
        refuse(candidate, bytes.error().why);
        return;
    }
    if (*bytes > most) {
        leastTooLarge(candidate) = candidate.size;
        return;
    }
    const double value =
        leastMemory() ? std::max(waiting.value, static_cast<double>(*bytes)) : waiting.value;
    enqueue({value, candidate, Look::Bounded});
    if (space_.families[candidate.family].swaps) {
        Candidate swapped = candidate;
        swapped.swapped = true;
        enqueue({value, swapped, Look::Bounded});
    }
}

/// Tensors that a layout has room for, and what its bound counts of the runtime.
std::int64_t PlanSearch::mostCounted(const Scenario& scenario) {
    const Bytes room = tensorRoom(scenario, Bytes(capacity_), Bytes(limit_));
    return room.count() + memory_.leastRuntime(scenario.layout, scenario.settings);
}

/// Whether its bound says that there is no room, now that less is left than there was.
bool PlanSearch::hasNoRoomLeft(const Candidate& candidate, const Scenario& scenario) {
    if (limit_ == capacity_) {
        return false;
    }
    const std::int64_t most = mostCounted(scenario);
    const Result<BlockCost>& cost = blocks_.of(candidate, scenario);
    return cost && memory_.fromOrder(candidate, scenario, *cost, most).value_or(0) > most;
}

/// What is not going to fit is not timed any closer. It had some looks to come, which are counted:
/// they say how long the search is.
bool PlanSearch::isPassedOver(const Candidate& candidate, std::int64_t looksToCome) {
    if (limit_ == capacity_) {
        return false;
    }
    const auto scenario = scenarios_.of(candidate);
    if (!scenario || !hasNoRoomLeft(candidate, **scenario)) {
        return false;
    }
    leastTooLarge(candidate) = candidate.size;
    report_.looks += looksToCome;
    return true;
}

/// Where its walk ends; nothing where there is no room.
std::optional<Bytes> PlanSearch::mostWalked(const Candidate& candidate, const Scenario& scenario) {
    if (hasNoRoomLeft(candidate, scenario)) {
        return std::nullopt;
    }
    return tensorRoom(scenario, Bytes(capacity_), Bytes(limit_)) + runtimeBytes(scenario).least;
}

/// The first few that wait by their bound, and nothing behind one that is known.
void PlanSearch::estimateNext() {
    std::vector<Estimated> batch;
    while (!queue_.empty() && queue_.top().look == Look::Bounded && batch.size() < kBatch) {
        const Candidate candidate = queue_.top().candidate;
        queue_.pop();
        if (const auto scenario = scenarios_.of(candidate)) {
            batch.push_back({candidate, &*blocks_.timeOf(candidate, **scenario)});
            countEstimate(**scenario);
        }
    }
    const std::vector<Result<double>> steps = forecast_.seconds(batch, watch_);
    const std::vector<Result<MemoryBreakdown>> memories = memoriesOf(batch);
    for (std::size_t i = 0; i < batch.size(); ++i) {
        const Candidate& candidate = batch[i].candidate;
        if (!steps[i]) {
            refuse(candidate, steps[i].error().why);
            continue;
        }
        double value = *steps[i];
        if (leastMemory()) {
            if (!memories[i]) {
                refuse(candidate, memories[i].error().why);
                continue;
            }
            countWalk(*memories[i]);
            if (memories[i]->verdict == Verdict::DoesNotFit || !isLean(*memories[i])) {
                continue;
            }
            value = static_cast<double>(memories[i]->peak.value.count());
        }
        enqueue({value, candidate, Look::Known});
        ahead_.wait({value, candidate});
    }
}

/// Where the objective is memory: what the walk finds.
std::vector<Result<MemoryBreakdown>> PlanSearch::memoriesOf(const std::vector<Estimated>& batch) {
    if (!leastMemory()) {
        return {};
    }
    const auto memory = [this](const Estimated& estimated) -> Result<MemoryBreakdown> {
        FABRICAST_TRY(watch_.check());
        CandidateScenarios scenarios(task_, space_);
        FABRICAST_ASSIGN(const Scenario* scenario, scenarios.of(estimated.candidate));
        return walked(estimated.candidate, *scenario, Bytes(limit_));
    };
    return *parallelMap(batch, memory, {.threads = options_.threads});
}

}  // namespace fabricast
