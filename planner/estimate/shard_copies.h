#pragma once
#include "planner/estimate/chunk_comm.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What FSDP2 does with a rank's own shards in one pass, beside the copies of gathered parameters
/// and whole gradients that `copies` of the software counts: shards are cast and put where a gather
/// reads them, and what a reduction leaves is cast and added to the gradients. On one rank, where
/// nothing is sent, the code copies all the same, unit by unit.
struct ShardWork {
    double bytes = 0.0;
    double units = 0.0;  ///< that no call stands for
};

/// `parameters`: those that are trained in the chunk of this rank, before they are sharded.
ShardWork shardWork(const Scenario& scenario, double parameters, double layers, Way way);

}  // namespace fabricast
