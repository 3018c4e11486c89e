#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/estimate/estimate_step.h"
#include "planner/search/candidate_scenarios.h"
#include "planner/search/search_space.h"
#include "planner/spec/scenario.h"

#include <vector>

namespace fabricast {

/// Whether every layout leaves more to the nodes' memory than any node surely has, where nobody
/// knows how much they have: then none is surer than another.
bool allNeedUnknownHost(const SearchTask& task,
                        const SearchSpace& space,
                        CandidateScenarios& scenarios);

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

/// GPU-seconds that a token takes at least on such GPUs, however many there are, whatever joins
/// them and however they are divided: every kernel of the model on whole batches at the rate that
/// it never exceeds, none waiting for another. 0 where a stack's settings or kernels are not known.
///     tokens per second of n GPUs  <=  n / leastGpuSeconds(task, timing)
Result<double> leastGpuSeconds(const SearchTask& task, const TimingProfiles& profiles);

/// Bytes that tensors of a layout may take: with more it does not fit, or takes more of the device
/// than `limit` with what its runtime is expected to. `capacity` is the device's.
Bytes tensorRoom(const Scenario& scenario, Bytes capacity, Bytes limit);

}  // namespace fabricast
