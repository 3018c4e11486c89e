#pragma once
#include "planner/estimate/chunk_comm.h"
#include "planner/spec/scenario.h"
#include "planner/spec/software_timing.h"

namespace fabricast {

/// What the transfers of a chunk can run beside in one direction.
struct WorkBeside {
    Way way = Way::Forward;
    double device = 0.0;     ///< kernels of any kind
    double attention = 0.0;  ///< of them
    double weight = 0.0;     ///< of them: gradients of weights
    double layers = 0.0;
};

/// What the transfers add to that direction: the seconds in which nothing else runs, and what those
/// that run beside kernels cost these. Each stack hides what its own code hides.
CommSeconds exposedComm(const Scenario& scenario,
                        const SoftwareTiming& software,
                        const CommSeconds& comm,
                        const WorkBeside& work);

}  // namespace fabricast
