#pragma once
#include "planner/base/watch.h"
#include "planner/memory/device/device.h"
#include "planner/result/evidence.h"
#include "planner/spec/settings.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace fabricast {

/// What PYTORCH_ALLOC_CONF says.
struct AllocatorRules {
    AllocatorKind kind = AllocatorKind::Default;
    std::int64_t maxSplit = kUnlimited;  ///< bytes; blocks from here on are handed out whole
    std::int64_t divisions = 0;          ///< of a power of two, to which sizes are rounded up

    static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();
};
AllocatorRules allocatorRules(const Settings& settings);

/// What a process that has run some steps holds: the states are made first (the optimizer's after
/// the first step, as they are), then the step is repeated.
struct Footprint {
    std::int64_t reserved = 0;
    std::int64_t allocated = 0;
    std::int64_t pinned = 0;  ///< what an allocator that is short of memory cannot give back
};
Result<Footprint> replaySteps(const std::vector<DeviceEvent>& events,
                              std::size_t statesEnd,
                              const AllocatorRules& rules,
                              const Watch& watch = {});

/// A run with other phases around its steps: what comes before the states, and once behind the
/// last step, evaluation and checkpoint. `stepEnd`: events up to the end of the walked step.
struct RunEvents {
    const std::vector<DeviceEvent>& events;
    std::size_t statesEnd = 0;
    std::size_t stepEnd = 0;
    bool loads = false;  ///< what came before the states counts
};
Result<Footprint> replayRun(const RunEvents& run,
                            const AllocatorRules& rules,
                            const Watch& watch = {});

/// What was alive at the peak, by kind: "32 x 67,108,864 B silu + 32 x 33,554,432 B input_norm +
/// …". The terms of a kind sum to that kind's bytes exactly, because they are the storages
/// themselves.
std::vector<Term> peakTerms(const Device& device, const std::string& source);

}  // namespace fabricast
