#pragma once
#include "planner/base/units.h"

#include <string>

namespace fabricast {

/// This is what a training stack adds to its kernels on the host: fitted to published runs, one
/// file per kind of software in hardware_profiles/software.
struct SoftwareTiming {
    std::string name;
    std::string title;
    Seconds forwardLaunch;       ///< host time of one kernel of a forward
    Seconds backwardLaunch;      ///< of a backward
    Seconds collective;          ///< of starting one collective
    Seconds unit;                ///< of a sharded unit's hooks, each way
    Seconds microBatch;          ///< of the training loop around a microbatch
    Seconds step;                ///< of the training loop around a step: data, logging, collection
    double tensorExposed = 1.0;  ///< of tensor parallel communication cut into slices
    double contention = 0.0;     ///< of what runs beside communication: how much it is slowed
};

}  // namespace fabricast
