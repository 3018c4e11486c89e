#pragma once
#include "planner/base/result.h"
#include "planner/base/units.h"
#include "probes/fit/ring_fit.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

/// A CPU cluster in the terms of profiles, on the way from a record to files.
struct CpuCluster {
    std::string name;       ///< "lab"; its parts are "lab-rank", "lab-node", "lab-network"
    std::string processor;  ///< "Intel(R) Xeon(R) …"
    std::string library;    ///< "Open MPI v4.1.4"
    std::string from;       ///< the program and date that the numbers come from
    std::int64_t nodes = 1;
    std::int64_t ranksPerNode = 1;
    Bytes rankMemory{};
    BytesPerSecond memoryRate{};
    FlopsPerSecond peak{};
    RingFit inside;   ///< of a node; no rows where a node has one rank
    RingFit between;  ///< of nodes; no rows where there is one
    double contention = 0.0;
    bool contentionMeasured = false;
};

// One file of the profile folder each.
std::string cpuDeviceJson(const CpuCluster& cluster);
std::string cpuNodeJson(const CpuCluster& cluster);
std::string cpuNetworkJson(const CpuCluster& cluster);
std::string cpuClusterJson(const CpuCluster& cluster);
/// The library's cost model: rings, whose steps cost what the fits say.
std::string cpuLibraryJson(const CpuCluster& cluster);
/// What a step adds to its kernels: nothing is launched, nothing is copied. `stack` is the software
/// in whose place it stands on these devices: "torch-eager".
std::string cpuSoftwareJson(const CpuCluster& cluster, std::string_view stack);

}  // namespace fabricast
