#pragma once
#include "planner/base/watch.h"
#include "planner/memory/device/allocator_rules.h"
#include "planner/memory/device/device.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

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

}  // namespace fabricast
