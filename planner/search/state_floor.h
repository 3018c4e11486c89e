#pragma once
#include "planner/base/result.h"
#include "planner/search/search_space.h"

#include <vector>

namespace fabricast {

/// Bytes of a model's states, of all ranks together, under one kind of layout: never more than any
/// layout of the kind has.
struct StateFloor {
    double onGpus = 0.0;
    double onHosts = 0.0;
    double onDrives = 0.0;
};

/// One for every kind of layout that some stack has: how states are sharded, and offloaded.
std::vector<StateFloor> stateFloors(const SearchTask& task);

/// Whether the cluster has room for one of them; memory whose size is not known is room enough.
///     if (!hasRoomFor(stateFloors(task), cluster)) { … no layout fits, and none need be looked at
///     }
bool hasRoomFor(const std::vector<StateFloor>& floors, const ClusterSpec& cluster);

}  // namespace fabricast
