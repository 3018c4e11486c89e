#pragma once
#include "probes/collective/collective.h"
#include "probes/collective/strided_group.h"
#include "probes/record/point.h"

namespace fabricast::probe {

/// A point that speaks of a collective, taken apart:
///     all_gather bytes=64M nodes=2 ranks=16 [stride=1] [dtype=float] [groups=all|1]
struct CollectiveTask {
    GroupCall call = GroupCall::AllReduce;
    std::int64_t bytes = 0;  ///< as nccl-tests prints them: the larger of what is sent or received
    StridedGroup shape;
    int nodes = 1;  ///< that a group spans
    CollectiveType type;
    bool oneGroup = false;  ///< the others stand still
};

Answer<CollectiveTask> taskOf(const Point& point);

/// In elements. A size that the ranks cannot share out evenly is rounded down, as nccl-tests does:
/// each part of 16 bytes and more to a multiple of 16.
struct CollectiveCounts {
    std::int64_t count = 0;  ///< as nccl-tests prints it: per rank where ranks hold parts
    std::int64_t sent = 0;   ///< by each rank, the root of a broadcast included
    std::int64_t received = 0;
    std::int64_t bytes = 0;  ///< after rounding
};

/// `count` is 0 where there is not one element for each.
CollectiveCounts countsOf(const CollectiveTask& task);

}  // namespace fabricast::probe
