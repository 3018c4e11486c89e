#pragma once
#include "probes/host/host_facts.h"
#include "probes/nvml/installed_gpus.h"
#include "probes/record/answer.h"
#include "probes/record/json_line.h"
#include "probes/record/point.h"
#include "probes/record/probe_program.h"

#include <map>
#include <string>

namespace fabricast::probe {

/// What the host probe is told beside what all probes are.
struct HostFlags {
    std::string scratch;  ///< a folder whose disk is measured; empty: none is
};

/// fabricast-probe-host. `flags` outlives it.
ProbeProgram hostProgram(HostFlags& flags);

/// `fabricast-probe-host --inventory [--root DIR]`: the machine as JSON on standard output. Any
/// other command line is runProbe's.
int runHostProbe(std::span<const char* const> arguments);

/// Whether a point's settings are sound, before anything is measured: known names, values within
/// their bounds, a folder that is there. What only the machine cannot do is not wrong.
Done checkHostPoint(const Point& point);

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
