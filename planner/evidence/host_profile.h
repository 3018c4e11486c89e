#pragma once
#include "planner/base/units.h"
#include "planner/spec/sourced.h"

#include <string>

namespace fabricast {

/// What the CPUs of a node do for an optimizer that was moved to them: hardware_profiles/hosts.
struct HostProfile {
    std::string name;
    std::string title;
    Sourced<BytesPerSecond> socketBandwidth;  ///< of memory, if the node has none
    Sourced<double> deepspeedShare;     ///< of the memory's rate that DeepSpeed's CPUAdam reaches
    Sourced<double> torchShare;         ///< and torch's own optimizers on CPU tensors
    Sourced<double> copyShare;          ///< of the PCIe rate that copies of pinned memory reach
    Sourced<Bytes> drive;               ///< of the local drives, which there are of what a node has
    Sourced<BytesPerSecond> driveRead;  ///< of one of them
    Sourced<BytesPerSecond> driveWrite;  ///< of one of them, for as long as it takes
    Sourced<double> driveWrites;         ///< times that it may be written over in its life
};

}  // namespace fabricast
