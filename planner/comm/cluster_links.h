#pragma once
#include "planner/base/result.h"
#include "planner/evidence/nccl_model.h"
#include "planner/spec/cluster_spec.h"

#include <array>
#include <cstdint>

namespace fabricast {

/// How the GPUs of a node reach each other.
enum class NodeFabric {
    Switch,  ///< NVSwitch: any pair at the full rate
    Mesh,    ///< NVLink between some pairs (DGX-1)
    Xgmi,    ///< one link to each peer
    Pcie
};

/// This is a cluster as the collective library sees it: rates it can sustain, all from the
/// profiles, gathered once so that a collective's time is arithmetic.
///     FABRICAST_ASSIGN(const ClusterLinks links, clusterLinks(cluster, nccl));
struct ClusterLinks {
    std::int64_t nodeGpus = 1;
    std::int64_t domainGpus = 1;  ///< joined by NVLink or xGMI; may span nodes; 1: none
    std::int64_t socketGpus = 1;  ///< that share a socket or a PCIe switch
    std::int64_t gpuLinks = 0;
    std::int64_t sites = 1;
    std::int64_t siteGpus = 0;  ///< of each
    std::int64_t podNodes = 0;  ///< nodes that reach each other at full rate; 0: all
    double nicsPerGpu = 0.0;
    double oversubscription = 1.0;
    BytesPerSecond gpuBandwidth;   ///< all links of one GPU together, one way
    BytesPerSecond pciBandwidth;   ///< of a copy between a GPU and a peer, or the host
    BytesPerSecond pciSocketRing;  ///< bus bandwidth of a ring inside a socket
    BytesPerSecond pciNodeRing;    ///< bus bandwidth of a ring over the node
    BytesPerSecond nicBandwidth;   ///< that one NIC sustains; zero: no network is known
    BytesPerSecond siteBandwidth;  ///< that one site sustains to the others
    Seconds siteLatency;           ///< from one site to another
    Seconds networkLatency;        ///< of a hop, on top of the model's
    Seconds networkOverhead;       ///< of posting one message
    std::array<BytesPerSecond, 2> llNetworkMost{};
    NcclGeneration generation;
    NcclNetwork network;
    NodeFabric fabric = NodeFabric::Pcie;
    bool pciPeers = true;           ///< GPUs reach each other over PCIe without the host's memory
    bool switchReduction = false;   ///< NVLink SHARP
    bool networkReduction = false;  ///< SHARP in the network's switches
    bool networkMeasured = false;   ///< the sustained rate of the fabric was measured
    MachineFactors own;             ///< of its collectives over what these rates give

    /// GPUs that the library treats as one node for a job with this many ranks.
    [[nodiscard]] std::int64_t islandGpus(std::int64_t world) const;
    /// Whether NVLink joins hosts, so that a node of the library is a rack.
    [[nodiscard]] bool joinsHosts() const;
};

/// An error for GPUs or fabrics that the model has no row for.
Result<ClusterLinks> clusterLinks(const ClusterSpec& cluster, const NcclModel& model);

}  // namespace fabricast
