#pragma once
#include "planner/spec/cluster_spec.h"
#include "simulator/network/topology.h"

#include <string>
#include <vector>

namespace fabricast {

/// Several equal clusters, joined over a distance.
struct WanTier {
    std::int64_t sites = 1;
    BytesPerSecond bandwidth;  ///< of one site to the others
    Seconds latency;           ///< from one site to another
};

/// A topology with its description.
struct DescribedTopology {
    Topology topology;
    std::string title;                 ///< "2,048 x dgx-h100 on ib-ndr"
    std::vector<std::string> assumed;  ///< what no profile has
};

/// What a cluster's profile leaves to other profiles or to the user.
struct TopologyOptions {
    std::optional<BytesPerSecond> hostLink{};  ///< GPU to CPU where that is not PCIe
    WanTier wan{};
    bool fails = false;  ///< ways around what is down are looked for, too
};

inline constexpr std::int64_t kMostGraphGpus = 131'072;
/// Of one of several nodes: every NIC of one is held against those of another.
inline constexpr std::int64_t kMostGraphNodeGpus = 2048;

/// Whether the graph is small enough to be built; before anything else is.
Result<void> checkGraphSize(const ClusterSpec& cluster, const TopologyOptions& options);

/// This builds the graph of a cluster from its profile: every node with its GPUs, NVSwitches, PCIe
/// and NICs ("node3/nic2"), the leaves, spines and cores of its fabric, and the line to other
/// sites. Rates are line rates. A device whose connection is not in the profile gets a
/// link of its own, and a link without a rate is as fast as what lies
/// behind it.
///     FABRICAST_ASSIGN(const DescribedTopology built, clusterTopology(cluster, {}));
Result<DescribedTopology> clusterTopology(const ClusterSpec& cluster,
                                          const TopologyOptions& options);

}  // namespace fabricast
