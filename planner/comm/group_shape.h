#pragma once
#include "planner/comm/cluster_links.h"
#include "planner/comm/collective_groups.h"

#include <compare>
#include <cstdint>

namespace fabricast {

/// This is all that a collective's time depends on about where its ranks are. A node here is what
/// the library treats as one: GPUs joined by NVLink may be a whole rack.
///     const GroupShape data = groupShape(layout, order, GroupKind::Data, links);
/// A group with k members in a node owns k GPUs' share of that node's NICs, because every GPU is in
/// a group of the kind and all of them are busy at once.
struct GroupShape {
    std::int64_t ranks = 1;
    std::int64_t nodes = 1;
    std::int64_t perNode = 1;      ///< ranks in each, the most loaded
    std::int64_t domains = 1;      ///< NVLink domains in a node that it touches
    std::int64_t sockets = 1;      ///< sockets or PCIe switches in a node that it touches
    std::int64_t sharing = 1;      ///< groups of the kind in a node
    std::int64_t pods = 1;         ///< parts of the network with full rate inside
    std::int64_t nodesPerPod = 1;  ///< of its nodes, in each
    double nics = 0.0;             ///< of each node, its own
    std::int64_t sites = 1;
    std::int64_t siteGroups = 1;  ///< groups of the kind that share a site's way out

    friend auto operator<=>(const GroupShape&, const GroupShape&) = default;
};

/// Of the groups of a kind that lie differently, the one over most nodes.
GroupShape groupShape(const Layout& layout,
                      const RankOrder& order,
                      GroupKind kind,
                      const ClusterLinks& links);
GroupShape groupShape(const GroupAxes& group, std::int64_t world, const ClusterLinks& links);

/// The part of a group over several sites that lies in one of them.
GroupShape insideSite(const GroupShape& shape);

/// The same group where all nodes are at one site.
GroupShape atOneSite(const GroupShape& shape);

/// A group of consecutive ranks that has the nodes to itself, as benchmarks run.
GroupShape wholeNodes(std::int64_t ranks, const ClusterLinks& links);

/// A group with as many ranks on each of so many hosts, and nothing else there: 8 ranks on two
/// hosts of 8 GPUs are 4 and 4. Hosts that NVLink joins are one node.
GroupShape overHosts(std::int64_t ranks, std::int64_t hosts, const ClusterLinks& links);

}  // namespace fabricast
