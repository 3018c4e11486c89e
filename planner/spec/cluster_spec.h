#pragma once
#include "planner/base/units.h"
#include "planner/spec/kernel_profile.h"
#include "planner/spec/machine_factors.h"
#include "planner/spec/runtime_memory.h"
#include "planner/spec/sites_spec.h"
#include "planner/spec/sourced.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A measured matrix-multiply rate, below or (GeForce) above the printed peak.
struct MeasuredRate {
    std::string dtype;
    Sourced<FlopsPerSecond> rate;

    friend bool operator==(const MeasuredRate&, const MeasuredRate&) = default;
};

/// One GPU model as sold: die, memory and power cap together ("h100-sxm5-80gb").
struct GpuSpec {
    std::string name;
    std::string title;
    std::string vendor;
    std::string family;             ///< "Hopper"
    std::string architecture;       ///< "sm_90", "gfx942"
    std::string formFactor;         ///< "sxm", "pcie", "oam", "superchip", "workstation"
    std::string memoryKind;         ///< "HBM3"
    Sourced<Bytes> memory;          ///< as on the data sheet
    Sourced<Bytes> reportedMemory;  ///< what nvidia-smi or amd-smi prints as total
    Sourced<Bytes> usableMemory;    ///< what a process can have: PyTorch's total_memory
    Sourced<BytesPerSecond> memoryBandwidth;
    Sourced<Bytes> l2Cache;
    Sourced<std::int64_t> multiprocessors;
    Sourced<Hertz> boostClock;
    Sourced<Watts> power;
    std::map<std::string, Sourced<FlopsPerSecond>> densePeak;  ///< by dtype: "bf16", "fp8", ...
    std::string linkKind;    ///< "nvlink", "nvlink-bridge", "xgmi", "ethernet" or "none"
    std::string linkFabric;  ///< the fabric profile of that link; may be empty
    std::string linkReach;   ///< "all", "mesh", "group" or "pair" of the node's GPUs
    std::int64_t links = 0;
    Sourced<BytesPerSecond> linkBandwidth;  ///< NVLink/xGMI, one direction; empty: none
    std::int64_t pcieGeneration = 0;
    std::int64_t pcieLanes = 0;
    Sourced<BytesPerSecond> pcieBandwidth;  ///< one direction
    Sourced<bool> peerToPeer;               ///< PCIe peer access with the stock driver
    std::vector<MeasuredRate> measuredMatmul;
    std::optional<KernelProfile> kernels;  ///< empty: no similar GPU was measured
    RuntimeMemory runtime;
    std::string notes;

    /// What "fits" is judged by: usable memory, else what the driver prints, else the data sheet.
    [[nodiscard]] const Sourced<Bytes>& capacity() const {
        if (usableMemory.value) {
            return usableMemory;
        }
        return reportedMemory.value ? reportedMemory : memory;
    }

    friend bool operator==(const GpuSpec&, const GpuSpec&) = default;
};

/// How the GPUs of a node reach the CPUs, host memory and each other over PCIe.
struct PciTopology {
    Sourced<std::int64_t> numaNodes;
    Sourced<std::int64_t> rootComplexes;    ///< ways into the CPUs; GPUs on one share its x16
    Sourced<std::int64_t> gpusPerSwitch;    ///< empty: no switches
    Sourced<BytesPerSecond> peerBandwidth;  ///< GPU to GPU on one socket or switch, one way
    Sourced<BytesPerSecond> crossSocketBandwidth;  ///< GPU to GPU across sockets or switch chips
    Sourced<BytesPerSecond> socketLink;            ///< between the CPUs, one way
    Sourced<BytesPerSecond> hostBandwidth;         ///< host to device, where it was measured here
    Sourced<BytesPerSecond> ringBusBandwidth;      ///< all-reduce over all GPUs of the node
    Sourced<Seconds> peerLatency;
    std::string hostLink;  ///< the fabric to the CPU where it is not PCIe ("c2c-grace")

    friend bool operator==(const PciTopology&, const PciTopology&) = default;
};

/// One server: its GPUs, how they are joined, and its NICs.
struct NodeSpec {
    std::string name;
    std::string title;
    GpuSpec gpu;
    std::int64_t gpus = 0;
    std::int64_t domainGpus = 0;  ///< GPUs that share one NVLink/xGMI domain; may span nodes
    std::string gpuFabric;        ///< "nvswitch", "nvlink-mesh", "nvlink-bridge", "xgmi", "pcie"
    std::string gpuFabricName;    ///< the fabric profile inside the node ("nvlink4")
    std::string gpuFabricNote;
    std::int64_t gpuSwitches = 0;    ///< that join the GPUs of a domain; 0: not known
    bool inSwitchReduction = false;  ///< NVLink SHARP
    PciTopology pci;
    Sourced<std::int64_t> nics;
    Sourced<BytesPerSecond> nicBandwidth;  ///< each, one direction
    std::string nicFabric;                 ///< the fabric profile between nodes ("ib-ndr")
    OwnSpeed own;                          ///< over such nodes, by this machine's own runs
    std::string cpu;
    Sourced<Bytes> hostMemory;
    Sourced<BytesPerSecond> hostMemoryBandwidth;  ///< of all sockets together
    Sourced<Bytes> nvme;                          ///< capacity of the local drives
    Sourced<BytesPerSecond> nvmeRead;             ///< of all of them together; empty: usual drives
    Sourced<BytesPerSecond> nvmeWrite;            ///< the same
    Sourced<Watts> power;                         ///< of the whole node, at most
    std::string powerLike;                        ///< the node whose share that is; empty: its own
    std::string notes;

    friend bool operator==(const NodeSpec&, const NodeSpec&) = default;
};

/// The network between nodes, or a link inside one.
struct FabricSpec {
    std::string name;
    std::string title;
    std::string kind;                 ///< "infiniband", "roce", "tcp", "efa", "nvlink", ..., "none"
    std::string topology;             ///< "rail-optimised", "fat-tree", "full-mesh"; may be empty
    bool perNode = false;             ///< the rates are a whole node's, not one NIC's
    bool inNetworkReduction = false;  ///< its switches reduce (SHARP), and the library is set up
    Sourced<BytesPerSecond> linkBandwidth;         ///< line rate, one direction
    Sourced<BytesPerSecond> achievedBandwidth;     ///< what large messages reach
    Sourced<BytesPerSecond> pairBandwidth;         ///< between two GPUs alone
    Sourced<BytesPerSecond> ringBusBandwidth;      ///< of a ring collective, as nccl-tests counts
    Sourced<BytesPerSecond> inSwitchBusBandwidth;  ///< of an all-reduce inside the switch
    Sourced<double> allReduceGain;                 ///< all-reduce in the switch over the ring
    Sourced<double> efficiency;                    ///< achieved over line rate
    Sourced<Seconds> latency;
    Sourced<std::int64_t> nodesPerLeaf;
    Sourced<std::int64_t> fullBisectionGpus;  ///< these reach each other at full rate; empty: all
    Sourced<double> oversubscription;         ///< beyond them, down-links over up-links
    std::string notes;
};

struct ClusterSpec {
    std::string name;
    std::string title;
    NodeSpec node;
    FabricSpec fabric;
    bool otherFabric = false;      ///< it was given instead of the cluster's own
    bool otherHostMemory = false;  ///< so was the nodes' host memory
    bool otherNvme = false;        ///< and the capacity of their drives
    bool partOfNodes = false;      ///< only some of the GPUs of each node are used
    bool isBuilt = false;  ///< of GPUs in boxes that are no product: no profile has its name
    /// The share of a GPU's memory that a peak has to leave to the allocator: it decides where
    /// the forecast alone cannot tell whether it fits.
    std::optional<double> reserve;
    std::int64_t nodes = 1;
    SitesSpec sites;  ///< which the nodes are divided over evenly
    std::string notes;

    [[nodiscard]] std::int64_t gpus() const { return nodes * node.gpus; }
    [[nodiscard]] std::int64_t siteGpus() const { return gpus() / sites.count; }
};

}  // namespace fabricast
