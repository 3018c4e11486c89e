#pragma once
#include "planner/base/watch.h"
#include "planner/measured/machine_inventory.h"

#include <string>

namespace fabricast {

/// Which machine to look at: this one, through the host probe, or another one, whose inventory is
/// in a file.
struct MachineRequest {
    std::string probes{};     ///< folder of the probe programs; empty: the usual places
    std::string inventory{};  ///< what `fabricast-probe-host --inventory` printed there
};

/// What the host probe finds, without putting load on the machine.
///     FABRICAST_ASSIGN(const MachineInventory machine, machineInventory({}, watch));
Result<MachineInventory> machineInventory(const MachineRequest& request, const Watch& watch);

}  // namespace fabricast
