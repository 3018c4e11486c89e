#pragma once
#include "planner/comm/group_shape.h"

namespace fabricast {

/// This is what NCCL's topology search would find for a group: channels, and the bandwidth of all
/// of them together, in bus terms (what crosses the busiest link of a ring).
struct NcclGraph {
    LinkClass intra = LinkClass::NvLink;
    std::int64_t channels = 1;
    BytesPerSecond ringBus;
    BytesPerSecond treeBus;
    std::int64_t nvlsHeads = 0;    ///< GPUs that reduce in the switch; fewer than 2: cannot
    BytesPerSecond nvlsBandwidth;  ///< of a head, inside the node
    BytesPerSecond nvlsNetwork;    ///< of a head, to other nodes
    /// Of the node's NICs that are the group's, all together, for traffic that follows a ring.
    BytesPerSecond network;
};

NcclGraph ncclGraph(const GroupShape& shape, const ClusterLinks& links);

/// Bus bandwidth inside a node, and with how many channels.
struct NodeRing {
    BytesPerSecond bus;
    std::int64_t channels = 1;
    LinkClass link = LinkClass::NvLink;
};
NodeRing nodeRing(const GroupShape& shape, const ClusterLinks& links);

/// What is left of the network's rate when a share of a group's nodes' traffic crosses pods that
/// are joined at 1 in `oversubscription`.
double crossingShare(double crossing, double oversubscription);
/// The rate of a network over a number of nodes, relative to two.
double scaleShare(std::int64_t nodes, const NcclNetwork& network);

}  // namespace fabricast
