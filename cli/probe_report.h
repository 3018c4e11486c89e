#pragma once
#include "planner/io/machine_inventory.h"
#include "planner/io/recognise_machine.h"

#include <string>
#include <vector>

namespace fabricast {

/// What a machine is, what it looks like among the profiles, and what to do next.
struct MachineView {
    MachineInventory machine;
    struct KnownGpu {
        std::int64_t count = 0;
        std::string driverName;
        std::string profile;  ///< empty: none fits
        std::string title;
        std::string kernels;  ///< "fitted", "as h100-sxm5-80gb", or "none"
    };
    std::vector<KnownGpu> gpus;     ///< by the driver's names
    std::vector<LikelyNode> nodes;  ///< the likeliest first
    std::vector<std::string> unknown;
    std::vector<std::string> next;  ///< commands, the most useful first
};

/// Compares a machine with every profile.
Result<MachineView> viewMachine(const ProfileStore& store, MachineInventory machine);

std::string machineText(const MachineView& view);
std::string machineJson(const MachineView& view);

}  // namespace fabricast
