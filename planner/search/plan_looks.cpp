#include "planner/base/parallel_map.h"
#include "planner/memory/memory_of_stages.h"
#include "planner/search/plan_search.h"

#include <algorithm>
#include <limits>

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
            split(waiting);
            break;
        case Look::Sized:
            time(waiting);
            break;
        case Look::Timed:
            open(waiting);
            break;
        case Look::Ordered:
            close(waiting);
            break;
        case Look::Closed:
            bound(waiting);
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

/// How many sizes of the micro-batch leave room for what layers keep of it.
Result<void> PlanSearch::findRoom(const Candidate& group) {
    Block& block = groups_[groupOf_[group.family]];
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(group));
    FABRICAST_ASSIGN(const LayersKept kept, blocks_.leastKept(group, *scenario));
    const std::uint32_t stack = space_.families[group.family].stack;
    for (const std::uint32_t family : block.families) {
        Candidate candidate{.family = family};
        FABRICAST_ASSIGN(const Settings* usual,
                         scenarios_.usual(stack, space_.layoutOf(candidate)));
        while (candidate.size < roomy_[family] &&
               memory_.fromKept(candidate, *usual, kept) <= capacity_) {
            ++candidate.size;
        }
        block.room[group.recompute].push_back(candidate.size);
    }
    return {};
}

/// Of a group: the largest micro-batch that there is room for.
std::optional<Candidate> PlanSearch::largest(const Candidate& group) const {
    const Block& block = groups_[groupOf_[group.family]];
    std::optional<Candidate> largest;
    for (std::size_t at = block.first[group.recompute]; at < block.families.size(); ++at) {
        const std::size_t room = block.room[group.recompute][at];
        if (room == 0) {
            continue;
        }
        Candidate candidate = group;
        candidate.family = block.families[at];
        candidate.size = static_cast<std::uint16_t>(room - 1);
        if (!largest || space_.samplesOf(candidate) > space_.samplesOf(*largest)) {
            largest = candidate;
        }
    }
    return largest;
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
    if (const Result<void> found = findRoom(candidate); !found) {
        refuse(candidate, found.error().why);
        return;
    }
    const std::optional<Candidate> most = largest(waiting.candidate);
    if (!most) {
        return;
    }
    double value = waiting.value;
    if (const auto scenario = scenarios_.of(*most)) {
        const Result<LayerWaits> waits = forecast_.estimator().leastWaits(**scenario);
        group.waits[kind] = waits.value_or(LayerWaits{});
        value += leastMemory() ? 0.0 : time_.fromWaits((*scenario)->layout, group.waits[kind]);
    }
    queue_.push({value, waiting.candidate, Look::Linked});
}

void PlanSearch::sample(const Waiting& waiting) {
    const Block& group = groups_[groupOf_[waiting.candidate.family]];
    const std::size_t kind = waiting.candidate.recompute;
    const Candidate candidate = *largest(waiting.candidate);
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

/// Each size of the micro-batch that a family of the group has room for, by the first such family.
void PlanSearch::split(const Waiting& waiting) {
    const Block& group = groups_[groupOf_[waiting.candidate.family]];
    Candidate candidate = waiting.candidate;
    std::vector<std::int64_t> seen;
    for (std::size_t at = group.first[candidate.recompute]; at < group.families.size(); ++at) {
        candidate.family = group.families[at];
        if (isRefused(candidate)) {
            continue;
        }
        const std::size_t room = group.room[candidate.recompute][at];
        for (candidate.size = 0; candidate.size < room; ++candidate.size) {
            const std::int64_t samples = space_.samplesOf(candidate);
            if (std::ranges::find(seen, samples) == seen.end()) {
                seen.push_back(samples);
                queue_.push({waiting.value, candidate, Look::Sized});
            }
        }
        candidate.size = 0;
    }
}

/// By the passes of a microbatch, all ranks busy all the time.
void PlanSearch::time(const Waiting& waiting) {
    const Result<double> value = leastMemory() ? waiting.value : timeOfPasses(waiting.candidate);
    if (!value) {
        refuse(waiting.candidate, value.error().why);
        return;
    }
    queue_.push({std::max(waiting.value, *value), waiting.candidate, Look::Timed});
}

Result<double> PlanSearch::timeOfPasses(const Candidate& candidate) {
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(candidate));
    FABRICAST_ASSIGN(const ModelTime blocks, blocks_.timeOf(candidate, *scenario));
    const Layout& layout = scenario->layout;
    if (blocks_.shares(candidate, *scenario)) {
        FABRICAST_ASSIGN(const PassFloor passes,
                         forecast_.estimator().modelFloor(
                             *scenario, blocks, blocks_.floorsOf(candidate, *scenario)));
        return time_.fromPasses(layout, passes);
    }
    const LayerWaits& waits = groups_[groupOf_[candidate.family]].waits[candidate.recompute];
    return time_.fromBlocks(layout, blocks) + time_.fromWaits(layout, waits);
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
        if (candidate.size >= group.room[candidate.recompute][at] || isRefused(candidate)) {
            continue;
        }
        for (const std::uint16_t way : size->ways) {
            candidate.way = way;
            wait(candidate, waiting.value);
        }
    }
}

void PlanSearch::wait(const Candidate& candidate, double atLeast) {
    if (candidate.size >= leastTooLarge(candidate)) {
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
        queue_.push({std::max(atLeast, bytes), candidate, Look::Ordered});
        return;
    }
    const LayerWaits& waits = groups_[groupOf_[candidate.family]].waits[candidate.recompute];
    const Result<double> bound =
        time_.fromOrder(candidate, **scenario, *blocks_.timeOf(candidate, **scenario), waits);
    if (!bound) {
        refuse(candidate, bound.error().why);
        return;
    }
    queue_.push({std::max(atLeast, *bound), candidate, Look::Ordered});
}

/// Of its family, its order and what it recomputes: larger ones keep as much or more.
std::uint16_t& PlanSearch::leastTooLarge(const Candidate& candidate) {
    constexpr unsigned kBits = 16;
    const std::uint64_t key = (std::uint64_t{candidate.family} << 2 * kBits) |
                              (std::uint64_t{candidate.way} << kBits) | candidate.recompute;
    return tooLarge_.try_emplace(key, std::numeric_limits<std::uint16_t>::max()).first->second;
}

/// What its chunks take at least, in its pipeline's order.
Result<double> PlanSearch::closestTime(const Candidate& candidate) {
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(candidate));
    FABRICAST_ASSIGN(const ModelTime blocks, blocks_.timeOf(candidate, *scenario));
    FABRICAST_ASSIGN(const std::vector<std::int64_t>* layers, time_.layersOf(candidate, *scenario));
    FABRICAST_ASSIGN(const StepFloor floor,
                     forecast_.estimator().floor(
                         *scenario, blocks, *layers, blocks_.floorsOf(candidate, *scenario)));
    return time_.fromFloor(candidate, *scenario, floor);
}

/// By its chunks' own passes.
void PlanSearch::close(const Waiting& waiting) {
    const Candidate& candidate = waiting.candidate;
    if (candidate.size >= leastTooLarge(candidate)) {
        return;
    }
    const Result<double> bound = leastMemory() ? waiting.value : closestTime(candidate);
    if (!bound) {
        refuse(candidate, bound.error().why);
        return;
    }
    queue_.push({std::max(waiting.value, *bound), candidate, Look::Closed});
}

void PlanSearch::bound(const Waiting& waiting) {
    const Candidate& candidate = waiting.candidate;
    if (candidate.size >= leastTooLarge(candidate)) {
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
    const Result<std::int64_t> bytes = memory_.fromOrder(candidate, **scenario, *cost, limit_);
    if (!bytes) {
        refuse(candidate, bytes.error().why);
        return;
    }
    if (*bytes > limit_) {
        leastTooLarge(candidate) = candidate.size;
        return;
    }
    const double least = leastMemory() ? static_cast<double>(*bytes) : 0.0;
    const double value = std::max(waiting.value, least);
    queue_.push({value, candidate, Look::Bounded});
    if (space_.families[candidate.family].swaps) {
        Candidate swapped = candidate;
        swapped.swapped = true;
        queue_.push({value, swapped, Look::Bounded});
    }
}

/// The first few that wait by their bound, and nothing behind one that is known.
void PlanSearch::estimateNext() {
    std::vector<Estimated> batch;
    while (!queue_.empty() && queue_.top().look == Look::Bounded && batch.size() < kBatch) {
        const Candidate candidate = queue_.top().candidate;
        queue_.pop();
        if (const auto scenario = scenarios_.of(candidate)) {
            batch.push_back({candidate, &*blocks_.timeOf(candidate, **scenario)});
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
