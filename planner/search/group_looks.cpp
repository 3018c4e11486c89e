#include "planner/search/plan_search.h"

#include <algorithm>
#include <cstddef>

namespace fabricast {

namespace {

/// How many of the sizes from 0 pass, none of which does behind the first that does not.
template <class Test>
std::size_t countPassing(std::size_t sizes, const Test& passes) {
    std::size_t passed = 0;
    while (passed < sizes) {
        const std::size_t middle = passed + (sizes - passed) / 2;
        if (passes(middle)) {
            passed = middle + 1;
        } else {
            sizes = middle;
        }
    }
    return passed;
}

}  // namespace

/// How many sizes of the micro-batch leave room for what layers keep of it.
Result<void> PlanSearch::findRoom(const Candidate& group) {
    Block& block = groups_[groupOf_[group.family]];
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(group));
    FABRICAST_ASSIGN(const LayersKept kept, blocks_.leastKept(group, *scenario));
    const std::uint32_t stack = space_.families[group.family].stack;
    for (std::size_t at = 0; at < block.families.size(); ++at) {
        Candidate candidate{.family = block.families[at]};
        FABRICAST_ASSIGN(const Settings* usual,
                         scenarios_.usual(stack, space_.layoutOf(candidate)));
        while (candidate.size < roomy_[candidate.family] &&
               memory_.fromKept(candidate, *usual, kept) <= limit_) {
            ++candidate.size;
        }
        block.room[group.recompute][at] = candidate.size;
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

Result<LayerWaits> PlanSearch::leastWaits(const Candidate& candidate) {
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(candidate));
    return blocks_.leastWaits(candidate, *scenario);
}

/// Leaves out families at the front that the stack refuses.
void PlanSearch::link(const Waiting& waiting) {
    Block& group = groups_[groupOf_[waiting.candidate.family]];
    const std::size_t kind = waiting.candidate.recompute;
    Candidate candidate = waiting.candidate;
    for (std::size_t& at = group.first[kind]; at < group.families.size(); ++at) {
        candidate.family = group.families[at];
        if (!asked_.refuses(candidate)) {
            break;
        }
    }
    if (group.first[kind] == group.families.size()) {
        return;
    }
    for (const std::uint32_t family : group.families) {
        group.room[kind].push_back(roomy_[family]);
    }
    const Candidate most = *largest(waiting.candidate);
    const Result<LayerWaits> waits = leastWaits(most);
    if (!waits) {
        refuseGroup(waiting, waits.error());
        return;
    }
    group.waits[kind] = *waits;
    const double value =
        leastMemory() ? 0.0 : stretched(time_.fromWaits(space_.layoutOf(most), *waits));
    enqueue({waiting.value + value, waiting.candidate, Look::Linked});
}

/// With the smallest overhead that any micro-batch has: of the largest.
Result<double> PlanSearch::timeOfSamples(const Candidate& most) {
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(most));
    const Result<ModelTime>& least = blocks_.leastPerSample(most, *scenario);
    if (!least) {
        return tl::unexpected(least.error());
    }
    const LayerWaits& waits = groups_[groupOf_[most.family]].waits[most.recompute];
    return stretched(time_.fromSamples(scenario->layout, *least) +
                     time_.fromWaits(scenario->layout, waits));
}

void PlanSearch::sample(const Waiting& waiting) {
    const Result<double> value = timeOfSamples(*largest(waiting.candidate));
    if (!value) {
        refuseGroup(waiting, value.error());
        return;
    }
    const double least = leastMemory() ? 0.0 : *value;
    enqueue({std::max(waiting.value, least), waiting.candidate, Look::Sampled});
}

/// Of a group: the largest micro-batch that there is room for beside what its layers keep.
std::optional<Candidate> PlanSearch::largestFitting(const Waiting& waiting) {
    const Block& group = groups_[groupOf_[waiting.candidate.family]];
    Candidate first = waiting.candidate;
    first.family = group.families[group.first[first.recompute]];
    if (const Result<void> found = findRoom(first); !found) {
        refuse(first, found.error().why);
        return std::nullopt;
    }
    return largest(waiting.candidate);
}

/// Nothing is said of what has no room.
void PlanSearch::refuseGroup(const Waiting& waiting, const Error& refusal) {
    if (const std::optional<Candidate> most = largestFitting(waiting)) {
        refuse(*most, refusal.why);
    }
}

/// Most groups are too slow to be asked which micro-batches fit.
void PlanSearch::fit(const Waiting& waiting) {
    if (largestFitting(waiting)) {
        split(waiting);
    }
}

/// Whether its order has room for what waits in it at one moment.
bool PlanSearch::fitsInOrder(const Candidate& candidate, const Settings& usual) {
    const Block& group = groups_[groupOf_[candidate.family]];
    const OrderRoom& asked = group.orders[candidate.recompute];
    return memory_.fromFlight(candidate, usual, asked.kept) <= asked.limit;
}

/// Of the first `room` sizes of the micro-batch, those that some order of the family has room for.
/// An order that has no more room than those before is asked how much only where it is opened.
std::size_t PlanSearch::roomInOrder(Candidate candidate, std::size_t room) {
    const LayoutFamily& family = space_.families[candidate.family];
    const std::size_t ways = space_.ways[family.ways].size();
    std::size_t most = 0;
    for (candidate.way = 0; candidate.way < ways && most < room; ++candidate.way) {
        candidate.size = 0;
        const auto usual = scenarios_.usual(family.stack, space_.layoutOf(candidate));
        if (!usual) {  // said of each where it is looked at
            return room;
        }
        const auto isIn = [&](std::size_t size) {
            candidate.size = static_cast<std::uint16_t>(size);
            return fitsInOrder(candidate, **usual);
        };
        if (isIn(most)) {
            const std::size_t first = most + 1;
            most = first +
                   countPassing(room - first, [&](std::size_t more) { return isIn(first + more); });
        }
        leastTooLarge(candidate) = static_cast<std::uint16_t>(most);
    }
    return most;
}

/// Each size of the micro-batch that a family of the group has room for, by the first such family.
void PlanSearch::split(const Waiting& waiting) {
    Block& group = groups_[groupOf_[waiting.candidate.family]];
    Candidate candidate = waiting.candidate;
    std::vector<std::int64_t> seen;
    OrderRoom& asked = group.orders[candidate.recompute];
    asked.limit = limit_;
    // Of every family: nothing counts as kept that is not known.
    if (const auto scenario = scenarios_.of(*largest(candidate)); scenario) {
        asked.kept = blocks_.leastKept(candidate, **scenario).value_or(LayersKept());
    }
    for (std::size_t at = group.first[candidate.recompute]; at < group.families.size(); ++at) {
        candidate.family = group.families[at];
        if (asked_.refuses(candidate)) {
            continue;
        }
        std::size_t& room = group.room[candidate.recompute][at];
        room = roomInOrder(candidate, room);
        for (candidate.size = 0; candidate.size < room; ++candidate.size) {
            const std::int64_t samples = space_.samplesOf(candidate);
            if (std::ranges::find(seen, samples) == seen.end()) {
                seen.push_back(samples);
                enqueue({waiting.value, candidate, Look::Sized});
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
    enqueue({std::max(waiting.value, *value), waiting.candidate, Look::Timed});
}

Result<double> PlanSearch::timeOfPasses(const Candidate& candidate) {
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(candidate));
    const Result<ModelTime>& blocks = blocks_.timeOf(candidate, *scenario);
    if (!blocks) {
        return tl::unexpected(blocks.error());
    }
    const Layout& layout = scenario->layout;
    if (blocks_.shares(candidate, *scenario)) {
        FABRICAST_ASSIGN(const PassFloor passes,
                         forecast_.estimator().modelFloor(
                             *scenario, *blocks, blocks_.floorsOf(candidate, *scenario)));
        return stretched(time_.fromPasses(layout, passes));
    }
    const LayerWaits& waits = groups_[groupOf_[candidate.family]].waits[candidate.recompute];
    return stretched(time_.fromBlocks(layout, *blocks) + time_.fromWaits(layout, waits));
}

}  // namespace fabricast
