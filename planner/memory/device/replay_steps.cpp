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

Result<void> replayStep(CachingAllocator& allocator,
                        std::span<const CachingAllocator::Request> step,
                        const Watch& watch) {
    constexpr std::size_t kLook = 4096;  // at the watch: about a tenth of a millisecond
    allocator.resetPeak();
    for (std::size_t first = 0; first < step.size(); first += kLook) {
        FABRICAST_TRY(watch.check());
        for (const auto& request : step.subspan(first, std::min(kLook, step.size() - first))) {
            allocator.serve(request);
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
    const std::vector<CachingAllocator::Request> requests = allocator.requestsOf(step);
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
        FABRICAST_TRY(replayStep(allocator, requests, watch));
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
        FABRICAST_TRY(replayStep(allocator, allocator.requestsOf(after), watch));
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
