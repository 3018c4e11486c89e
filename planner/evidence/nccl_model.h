#pragma once
#include "planner/base/units.h"
#include "planner/spec/collective_kind.h"

#include <array>
#include <cstddef>
#include <string>
#include <vector>

namespace fabricast {

/// What a step of an algorithm crosses.
enum class LinkClass { NvLink, Pci, Network };

/// What the library assumes of one generation of GPUs.
struct NcclGeneration {
    /// Over one node, two nodes, and more.
    using ByNodes = std::array<BytesPerSecond, 3>;

    std::string name;                        ///< "hopper"
    std::vector<std::string> architectures;  ///< "sm_90"
    BytesPerSecond linkBandwidth;            ///< of one NVLink or xGMI link, one way
    BytesPerSecond llNodeMost;               ///< of LL inside a node, all channels together
    ByNodes ringLl128Most;                   ///< per channel, as the next three
    ByNodes treeLl128Most;
    ByNodes treeMost;
    ByNodes nvlsTreeMost;
    double nvlsShare = 0.0;  ///< of a link that a reduction in the switch reaches; 0: has none
    std::array<std::int64_t, 2> nvlsChannels{};  ///< on one node, on more
    std::vector<BytesPerSecond> speeds;          ///< that a channel's links may be given, falling
    double longRingFactor = 1.0;  ///< on the latency of a large all-reduce ring over nodes
    bool ll128 = true;
    double pairShare = 1.0;   ///< of a GPU's links that point-to-point kernels reach
    double pairSpread = 0.0;  ///< with p peers p / (p + this) of it
};

/// A network by its kind: "infiniband", "tcp".
struct NcclNetwork {
    std::string kind;
    double efficiency = 1.0;  ///< of the line rate, if the fabric has no measured rate
    Seconds latency;          ///< of a hop, on top of the model's network step
    /// Share of the rate that is sustained over a number of nodes: between them along log2(nodes).
    struct Scale {
        double nodes = 1.0;
        double share = 1.0;
    };
    std::vector<Scale> scale;
};

/// This is the cost model with which NCCL (or RCCL) itself picks an algorithm and a protocol, and
/// what it lacks: point-to-point kernels. One file of hardware_profiles/collectives each.
struct NcclModel {
    template <class T>
    using ByProtocol = std::array<T, kProtocols>;
    template <class T>
    using ByAlgorithm = std::array<T, kAlgorithms>;

    std::string name;  ///< "nccl-2-30"
    std::string title;
    std::string library;  ///< "nccl", "rccl" or "mpi"
    std::string version;
    ByAlgorithm<ByProtocol<Seconds>> baseLatency{};
    std::array<ByAlgorithm<ByProtocol<Seconds>>, 3> stepLatency{};  ///< by LinkClass
    /// Shares of the bus, on one node and on more: of a ring's, and of a tree's after `treeShare`.
    std::array<ByProtocol<double>, 2> ringShare{};
    std::array<ByProtocol<double>, 2> treeProtocolShare{};
    double treeShare = 1.0;
    double patShare = 1.0;
    std::array<BytesPerSecond, 2> llIntelMost{};  ///< of LL on two nodes, and on more
    std::array<BytesPerSecond, 2> llAmdMost{};
    Seconds intelNetOverhead;
    Seconds amdNetOverhead;
    /// On a tree's bandwidth for messages of 64 B, 128 B, ...
    ByProtocol<std::vector<double>> treeCorrection{};
    std::vector<NcclGeneration> generations;
    std::vector<NcclNetwork> networks;
    /// Of a point-to-point kernel, by LinkClass: with flags in the data (LL), and without.
    std::array<std::array<Seconds, 2>, 3> pairLatency{};
    BytesPerSecond pairLlBandwidth;        ///< to each peer, with flags in the data
    std::array<Seconds, 3> peerLatency{};  ///< for each further peer
    double pciPeerShare = 1.0;      ///< of the PCIe rate, in a ring of GPUs that reach each other
    double pciHostShare = 1.0;      ///< of the PCIe rate, in a ring through host memory
    std::int64_t mostChannels = 0;  ///< of one communicator: a channel holds one multiprocessor
};

}  // namespace fabricast
