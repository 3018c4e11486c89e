#pragma once
#include "planner/measured/machine_inventory.h"
#include "planner/measured/recognise_machine.h"

#include <string>
#include <vector>

namespace fabricast {

/// What a machine is, which profiles it looks like, and what to do next.
struct MachineDescription {
    MachineInventory machine;
    struct KnownGpu {
        std::int64_t count = 0;
        std::string driverName;
        std::string profile;  ///< empty: none matches
        std::string title;
        std::string kernels;  ///< "fitted", "as h100-sxm5-80gb", or "none"
    };
    std::vector<KnownGpu> gpus;     ///< by the driver's names
    std::vector<LikelyNode> nodes;  ///< the likeliest first
    std::vector<std::string> unknown;
    std::vector<std::string> next;  ///< commands, the most useful first
};

/// Compares a machine with every profile.
Result<MachineDescription> describeMachine(const ProfileStore& store, MachineInventory machine);

std::string machineText(const MachineDescription& description);
/// "fabricast.machine_view/1".
std::string machineJson(const MachineDescription& description);

}  // namespace fabricast
