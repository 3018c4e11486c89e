#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// What the host probe found in a machine, without load ("fabricast.machine/1"). 0 and empty: it
/// could not tell.
struct MachineInventory {
    struct Gpu {
        std::string name;          ///< from the driver: "NVIDIA H100 80GB HBM3"
        std::string architecture;  ///< "sm_90"
        Bytes memory{};
        std::string pci;
        std::int64_t numa = -1;
        double clockMhz = 0.0;
        double powerCapW = 0.0;
        std::int64_t pcieGeneration = 0;
        std::int64_t pcieWidth = 0;
        std::int64_t nvlinks = 0;
        std::int64_t processes = 0;
    };
    struct Port {
        std::string name;
        std::string kind;  ///< "ethernet", "infiniband", "roce"
        double gigabits = 0.0;
        std::string pci;
        std::int64_t numa = -1;
        bool up = false;
    };
    std::string cpu;
    std::int64_t sockets = 0;
    std::int64_t cores = 0;
    std::int64_t threads = 0;
    std::int64_t numaNodes = 0;
    Bytes memory{};
    std::vector<Gpu> gpus;
    std::vector<Port> ports;
    std::string driver;
    std::string cudaDriver;
    std::map<std::string, std::string> libraries;
    std::vector<std::string> notes;
};

Result<MachineInventory> readMachineInventory(const JsonValue& root);

}  // namespace fabricast
