#pragma once
#include "probes/record/answer.h"

#include <cstdint>
#include <string>
#include <vector>

namespace fabricast::probe {

/// What the driver reports of a GPU without starting anything on it. 0 and empty: unknown.
struct InstalledGpu {
    std::int64_t index = 0;
    std::string name;          ///< "NVIDIA H200"
    std::string architecture;  ///< "sm_90"
    std::int64_t memory = 0;   ///< bytes
    std::string pci;           ///< "0000:18:00.0"
    std::int64_t numa = -1;
    std::int64_t mostClock = 0;        ///< MHz of the multiprocessors
    std::int64_t mostMemoryClock = 0;  ///< MHz
    double powerCap = 0.0;             ///< W
    std::int64_t pcieGeneration = 0;   ///< the most that GPU and slot agree on
    std::int64_t pcieWidth = 0;
    std::int64_t nvlinks = 0;    ///< that are active
    std::int64_t processes = 0;  ///< that compute on it now
};

struct InstalledDriver {
    std::string version;      ///< "580.159.03"
    std::string cudaVersion;  ///< "13.0": the newest it can serve
    std::vector<InstalledGpu> gpus;
};

/// Asks NVML, which is loaded for this call only. Without a driver, that is the trouble.
Answer<InstalledDriver> installedDriver();

}  // namespace fabricast::probe
