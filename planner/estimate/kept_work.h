#pragma once
#include "planner/estimate/chunk_comm.h"
#include "planner/spec/scenario.h"

namespace fabricast {

/// What a rank does in one pass with the parameters and gradients that it keeps, beside the copies
/// of gathered parameters and whole gradients that `copies` of the software counts. Microbatches
/// after the first are added to the gradients. FSDP2 also casts its shards and puts them where a
/// gather reads them, and casts what a reduction leaves; on one rank, where nothing is sent, its
/// code copies all the same, unit by unit.
struct KeptWork {
    double bytes = 0.0;
    double units = 0.0;  ///< that no call stands for
};

/// `parameters`: those that are trained in the chunk of this rank, before they are sharded.
KeptWork keptWork(const Scenario& scenario, double parameters, double layers, Way way);

}  // namespace fabricast
