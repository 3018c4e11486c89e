#pragma once
#include "planner/comm/group_shape.h"
#include "planner/evidence/nccl_model.h"

#include <cstdint>

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

/// The inputs of NCCL's tuner for the latency of the first byte.
struct NcclCall {
    CollectiveKind kind = CollectiveKind::AllReduce;
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    CollectiveProtocol protocol = CollectiveProtocol::Simple;
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t perNode = 1;
    LinkClass intra = LinkClass::NvLink;
    Seconds networkLatency;   ///< of the network, on top of the model's step
    Seconds networkOverhead;  ///< of posting one message
};

/// Latency by NCCL's own model, for each collective of its tuner.
///     ring     base + (steps - hops) · intra + hops · inter
///     tree     base + 2 · ((perNode - 1) · intra + log2(nodes) · inter)
///     nvls     intra, and inter over nodes;  nvls_tree  base + intra + 2 · log2(nodes) · inter
///     pat      base + log2(nodes) · inter / 3.5 + 2.8 us · ranks
Seconds ncclLatency(const NcclCall& call, const NcclModel& model);

/// Steps of a ring: 2(n - 1) to reduce and gather, n - 1 for one of them, n for a pipeline.
std::int64_t ringSteps(CollectiveKind kind, std::int64_t ranks);

}  // namespace fabricast
