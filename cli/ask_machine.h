#pragma once
#include "cli/global_options.h"
#include "planner/io/machine_inventory.h"

#include <string>

namespace fabricast {

/// What the host probe finds in this machine, without load. `probes` is the folder of the programs
/// as the user typed it; empty: the usual places.
Result<MachineInventory> askMachine(const std::string& probes, const GlobalOptions& options);

}  // namespace fabricast
