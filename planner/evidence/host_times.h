#pragma once
#include "planner/evidence/software_timing.h"

#include <array>
#include <string_view>

namespace fabricast {

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
