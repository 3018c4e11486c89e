#include "planner/memory/device/caching_allocator.h"
#include "planner/memory/device/replay.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

namespace fabricast {

namespace {

constexpr int kWarmSteps = 3;  ///< by the third step the pools have their final size

/// Names of states that a step drops, each with the one of the same size that it leaves instead.
std::vector<Renaming> replacedStates(std::span<const DeviceEvent> events, std::size_t statesEnd) {
    std::size_t storages = 0;
    for (const DeviceEvent& event : events) {
        storages = std::max(storages, static_cast<std::size_t>(event.storage) + 1);
    }
    std::vector<std::int64_t> states(storages, 0);
    std::vector<std::int64_t> made(storages, 0);  // by the step
    std::multimap<std::int64_t, Storage> dropped;
    for (std::size_t i = 0; i < events.size(); ++i) {
        const DeviceEvent& event = events[i];
        const auto at = static_cast<std::size_t>(event.storage);
        if (event.bytes > 0) {
            (i < statesEnd ? states : made)[at] = event.bytes;
        } else if (event.bytes == 0 && i < statesEnd) {
            states[at] = 0;
        } else if (event.bytes == 0 && std::exchange(made[at], 0) == 0 && states[at] > 0) {
            dropped.emplace(std::exchange(states[at], 0), event.storage);
        }
    }
    std::vector<Renaming> pairs;
    for (std::size_t storage = 0; storage < storages; ++storage) {
        if (const auto match = dropped.find(made[storage]); match != dropped.end()) {
            pairs.push_back({.from = static_cast<Storage>(storage), .to = match->second});
            dropped.erase(match);
        }
    }
    return pairs;
}

/// The names that the events behind a step have for what it left.
std::vector<Renaming> backwards(std::vector<Renaming> pairs) {
    for (Renaming& pair : pairs) {
        std::swap(pair.from, pair.to);
    }
    return pairs;
}

/// States that are made when a process starts, or those that the optimizer makes after a step.
void makeStates(CachingAllocator& allocator,
                std::span<const DeviceEvent> states,
                bool ofOptimizer) {
    for (const DeviceEvent& event : states) {
        if ((event.kind == MemoryKind::Optimizer) == ofOptimizer) {
            allocator.apply(event);
        }
    }
}

bool isReleasedAtOnce(const DeviceEvent& event, const DeviceEvent& next) {
    return event.bytes > 0 && next.bytes == 0 && next.storage == event.storage;
}

Result<void> replayStep(CachingAllocator& allocator,
                        std::span<const DeviceEvent> step,
                        const Watch& watch) {
    constexpr std::size_t kEventsPerLook = 4096;  // at the watch: about half a millisecond
    allocator.resetPeak();
    std::size_t look = 0;
    for (std::size_t event = 0; event < step.size(); ++event) {
        if (event >= look) {
            FABRICAST_TRY(watch.check());
            look = event + kEventsPerLook;
        }
        const bool isLast = event + 1 == step.size();
        if (!isLast && isReleasedAtOnce(step[event], step[event + 1])) {
            allocator.pass(step[event++]);
        } else {
            allocator.apply(step[event]);
        }
    }
    return {};
}

}  // namespace

Result<Footprint> replayRun(const RunEvents& run, const AllocatorRules& rules, const Watch& watch) {
    const std::span<const DeviceEvent> all(run.events);
    const auto states = all.first(run.statesEnd);
    const auto step = all.subspan(run.statesEnd, run.stepEnd - run.statesEnd);
    const auto replaced = replacedStates(all.first(run.stepEnd), run.statesEnd);
    CachingAllocator allocator(rules);
    makeStates(allocator, states, false);
    Footprint most;
    if (run.loads) {
        most = {0, allocator.peakAllocated(), allocator.peakPinned()};
    }
    const auto count = [&] {
        most = {allocator.reserved(),
                std::max(most.allocated, allocator.peakAllocated()),
                std::max(most.pinned, allocator.peakPinned())};
    };
    HeldBlocks before;
    for (int number = 0; number < kWarmSteps; ++number) {
        FABRICAST_TRY(replayStep(allocator, step, watch));
        allocator.rename(replaced);
        if (number == 0) {
            makeStates(allocator, states, true);
        }
        HeldBlocks now = allocator.held();
        if (number > 0 && now == before) {
            break;  // further steps are like this one
        }
        before = std::move(now);
    }
    count();
    if (const auto after = all.subspan(run.stepEnd); !after.empty()) {
        allocator.rename(backwards(replaced));
        FABRICAST_TRY(replayStep(allocator, after, watch));
        count();
    }
    return most;
}

Result<Footprint> replaySteps(const std::vector<DeviceEvent>& events,
                              std::size_t statesEnd,
                              const AllocatorRules& rules,
                              const Watch& watch) {
    return replayRun({events, statesEnd, events.size()}, rules, watch);
}

}  // namespace fabricast
