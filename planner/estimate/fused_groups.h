#pragma once
#include "planner/ops/op_list.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace fabricast {

/// Neighbouring operations that run as one kernel: ops [begin, end) of a list. Eager code runs each
/// by itself; a compiler joins those that only move bytes.
struct FusedGroup {
    std::size_t begin = 0;
    std::size_t end = 0;
};
std::vector<FusedGroup> fusedGroups(const OpList& list, bool compiled);

/// Bytes that a group moves through memory: what it reads that was made outside it, what it writes
/// that is read outside it or kept, and buffers that come and go inside an unfused op.
struct Traffic {
    std::int64_t forward = 0;
    std::int64_t backward = 0;
};
Traffic trafficOf(const OpList& list, const FusedGroup& group);

}  // namespace fabricast
