#pragma once
#include "planner/base/result.h"
#include "planner/spec/scenario.h"
#include "study/workbench.h"

#include <string>

namespace fabricast {

/// What NCCL is to choose for the collectives of a plan: the algorithm and protocol that the
/// forecast takes, by size, as the table of NCCL's example tuner plugin (plugins/tuner/example).
/// One group of ranges for each collective over so many nodes and ranks; with the forecast's
/// channels.
///     # collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks,…
///     allgather,0,4294967295,ring,simple,16,2,16,-1,-1
/// An error where the plan's GPUs run another library, or it calls no collective of NCCL's tuner.
Result<std::string> ncclTunerTable(const Scenario& scenario, const Workbench& bench);

}  // namespace fabricast
