#pragma once
#include "probes/host/host_facts.h"
#include "probes/nvml/installed_gpus.h"
#include "probes/record/json_line.h"

#include <map>
#include <string>

namespace fabricast::probe {

/// What a machine is, without putting any load on it.
struct Inventory {
    HostFacts host;
    std::vector<NetworkPort> ports;
    InstalledDriver driver;
    std::map<std::string, std::string> libraries;
    std::vector<std::string> notes;  ///< what could not be asked, and why
};

/// From the kernel's files and the driver. `askDriver` is false where the files are made up.
Inventory takeInventory(const SystemFiles& files, bool askDriver);

/// "fabricast.machine/1". What is not known is left out.
JsonLine inventoryLine(const Inventory& inventory);

}  // namespace fabricast::probe
