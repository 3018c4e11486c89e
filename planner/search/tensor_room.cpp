#include "planner/memory/overheads.h"
#include "planner/search/lower_bounds.h"

#include <algorithm>

namespace fabricast {

/// Layouts fit by the least that their runtime may take, or where a share of the memory is left
/// free by what it is expected to.
Bytes tensorRoom(const Scenario& scenario, Bytes capacity, Bytes limit) {
    const RuntimeBytes runtime = runtimeBytes(scenario);
    Bytes room = capacity - runtime.least;
    if (scenario.cluster.reserve) {
        const double left = 1.0 - *scenario.cluster.reserve;
        room = Bytes(static_cast<std::int64_t>(static_cast<double>(capacity.count()) * left)) -
               runtime.expected;
    }
    return limit < capacity ? std::min(room, limit - runtime.expected) : room;
}

}  // namespace fabricast
