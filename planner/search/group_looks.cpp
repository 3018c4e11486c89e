#include "planner/search/plan_search.h"

#include <algorithm>

namespace fabricast {

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

/// The same of all its layouts.
bool PlanSearch::isFamilyRefused(const Candidate& group) {
    Asked& known = refused_[group.family * kinds_ + group.recompute];
    if (known == Asked::Never) {
        const bool refused = isRefused({.family = group.family, .recompute = group.recompute});
        known = refused ? Asked::Refused : Asked::Taken;
    }
    return known == Asked::Refused;
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

Result<LayerWaits> PlanSearch::leastWaits(const Candidate& candidate) {
    FABRICAST_ASSIGN(const Scenario* scenario, scenarios_.of(candidate));
    return forecast_.estimator().leastWaits(*scenario);
}

/// Leaves out families at the front that the stack refuses.
void PlanSearch::link(const Waiting& waiting) {
    Block& group = groups_[groupOf_[waiting.candidate.family]];
    const std::size_t kind = waiting.candidate.recompute;
    Candidate candidate = waiting.candidate;
    for (std::size_t& at = group.first[kind]; at < group.families.size(); ++at) {
        candidate.family = group.families[at];
        if (!isFamilyRefused(candidate)) {
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
    const Result<LayerWaits> waits = leastWaits(*most);
    if (!waits) {
        refuse(*most, waits.error().why);
        return;
    }
    group.waits[kind] = *waits;
    const double value =
        leastMemory() ? 0.0 : time_.fromWaits(space_.layoutOf(*most), group.waits[kind]);
    enqueue({waiting.value + value, waiting.candidate, Look::Linked});
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
    enqueue({std::max(waiting.value, value), waiting.candidate, Look::Sampled});
}

/// Each size of the micro-batch that a family of the group has room for, by the first such family.
void PlanSearch::split(const Waiting& waiting) {
    const Block& group = groups_[groupOf_[waiting.candidate.family]];
    Candidate candidate = waiting.candidate;
    std::vector<std::int64_t> seen;
    for (std::size_t at = group.first[candidate.recompute]; at < group.families.size(); ++at) {
        candidate.family = group.families[at];
        if (isFamilyRefused(candidate)) {
            continue;
        }
        const std::size_t room = group.room[candidate.recompute][at];
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

}  // namespace fabricast
