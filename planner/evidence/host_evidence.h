#pragma once
#include "planner/base/units.h"
#include "planner/evidence/software_timing.h"
#include "planner/spec/sourced.h"

#include <array>
#include <string>
#include <string_view>

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

/// One of the times that software spends on the host, by its key in a profile's "host_us".
struct HostTime {
    std::string_view key;
    Seconds* time = nullptr;
    bool isOptional =
        false;  ///< a file that says nothing of it counts launches alone, and no slices
};

/// All of them: what is read, and what a machine's own host is faster or slower in.
inline std::array<HostTime, 14> hostTimesOf(SoftwareTiming& software) {
    return {{{"forward_launch", &software.forwardLaunch},
             {"backward_launch", &software.backwardLaunch},
             {"forward_linear", &software.forwardLinear.plain, true},
             {"backward_linear", &software.backwardLinear.plain, true},
             {"forward_quantised", &software.forwardLinear.quantised, true},
             {"backward_quantised", &software.backwardLinear.quantised, true},
             {"collective", &software.collective},
             {"expert", &software.expert},
             {"expert_layer", &software.expertLayer},
             {"sync", &software.sync},
             {"slice", &software.slice, true},
             {"unit", &software.unit},
             {"micro_batch", &software.microBatch},
             {"step", &software.step}}};
}

}  // namespace fabricast
