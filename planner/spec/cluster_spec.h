#pragma once
#include <cstdint>
#include <map>
#include <string>

#include "planner/base/units.h"
#include "planner/spec/sourced.h"

namespace fabricast {

/// One GPU model as sold: die, memory and power cap together ("h100-sxm5-80gb").
struct GpuSpec {
    std::string name;
    std::string vendor;
    std::string architecture;        ///< "sm_90", "gfx942"
    Sourced<Bytes> memory;           ///< as on the data sheet
    Sourced<Bytes> usableMemory;     ///< what the driver reports as total
    Sourced<BytesPerSecond> memoryBandwidth;
    std::map<std::string, Sourced<FlopsPerSecond>> densePeak;  ///< by dtype: "bf16", "fp8", ...
    Sourced<BytesPerSecond> linkBandwidth;  ///< NVLink/xGMI, one direction; empty: none
    Sourced<BytesPerSecond> pcieBandwidth;
    Sourced<Watts> power;
    Sourced<double> multiprocessors;
};

/// One server: its GPUs, how they are joined, and its NICs.
struct NodeSpec {
    std::string name;
    GpuSpec gpu;
    std::int64_t gpus = 0;
    std::string gpuFabric;           ///< "nvswitch", "pcie", "xgmi"
    std::int64_t numaNodes = 0;
    std::int64_t rootComplexes = 0;
    std::int64_t nics = 0;
    Sourced<BytesPerSecond> nicBandwidth;  ///< each, one direction
    Sourced<Bytes> hostMemory;
    Sourced<Bytes> nvme;
};

/// The network between nodes.
struct FabricSpec {
    std::string name;
    std::string kind;                ///< "infiniband", "roce", "tcp", "none"
    std::string topology;            ///< "rail-optimised", "fat-tree"
    Sourced<BytesPerSecond> linkBandwidth;
    Sourced<Seconds> latency;
    Sourced<double> oversubscription;
};

struct ClusterSpec {
    std::string name;
    NodeSpec node;
    FabricSpec fabric;
    std::int64_t nodes = 1;

    [[nodiscard]] std::int64_t gpus() const { return nodes * node.gpus; }
};

}  // namespace fabricast
