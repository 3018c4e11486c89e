#include "planner/comm/group_shape.h"

#include <algorithm>

namespace fabricast {
namespace {

std::int64_t ceilOf(std::int64_t whole, std::int64_t parts) {
    return (whole + parts - 1) / parts;
}

/// How many groups there are. Along an axis with a block of its own they have as many ranks in it
/// as fit behind its last member.
std::int64_t groupsOf(const GroupAxes& group, std::int64_t world) {
    if (group.count == 1 && group.axes[0].block > 0) {
        const GroupAxes::Axis& axis = group.axes[0];
        return world / axis.block * (axis.block - (axis.size - 1) * axis.stride);
    }
    return world / group.ranks();
}

void placeOnSites(const GroupAxes& group,
                  std::int64_t world,
                  const ClusterLinks& links,
                  GroupShape& shape) {
    if (links.sites <= 1 || shape.ranks <= 1) {
        return;
    }
    const std::int64_t spanned = spanOver(group, links.siteGpus, world).pieces;
    shape.sites = std::min({spanned, links.sites, shape.nodes});
    shape.siteGroups = shape.sites > 1 ? std::max<std::int64_t>(
                                             1, groupsOf(group, world) * shape.sites / links.sites)
                                       : 1;
}

}  // namespace

GroupShape groupShape(const GroupAxes& group, std::int64_t world, const ClusterLinks& links) {
    const std::int64_t island = links.islandGpus(world);
    const GroupSpan nodes = spanOver(group, island, world);
    GroupShape shape{.ranks = group.ranks(), .nodes = nodes.pieces, .perNode = nodes.perPiece};
    if (links.fabric == NodeFabric::Pcie && shape.perNode > 1) {
        shape.domains = spanOver(group, links.domainGpus, world).pieces / shape.nodes;
        shape.sockets = spanOver(group, links.socketGpus, world).pieces / shape.nodes;
        shape.domains = std::max<std::int64_t>(1, shape.domains);
        shape.sockets = std::max<std::int64_t>(1, shape.sockets);
    }
    const std::int64_t busy = std::min(island, world);
    shape.sharing = std::max<std::int64_t>(1, busy / shape.perNode);
    shape.nics = links.nicsPerGpu * static_cast<double>(shape.perNode) *
                 static_cast<double>(island) / static_cast<double>(busy);
    shape.nodesPerPod = shape.nodes;
    if (links.podNodes > 0 && shape.nodes > 1) {
        shape.pods = spanOver(group, links.podNodes * links.nodeGpus, world).pieces;
        shape.pods = std::clamp<std::int64_t>(shape.pods, 1, shape.nodes);
        shape.nodesPerPod = (shape.nodes + shape.pods - 1) / shape.pods;
    }
    placeOnSites(group, world, links, shape);
    return shape;
}

GroupShape insideSite(const GroupShape& shape) {
    GroupShape inside = shape;
    if (shape.sites <= 1) {
        return inside;
    }
    inside.sites = 1;
    inside.siteGroups = 1;
    inside.ranks = ceilOf(shape.ranks, shape.sites);
    inside.nodes = ceilOf(shape.nodes, shape.sites);
    inside.perNode = std::min(shape.perNode, inside.ranks);
    inside.pods = inside.nodes == 1 ? 1 : ceilOf(shape.pods, shape.sites);
    inside.nodesPerPod = ceilOf(inside.nodes, inside.pods);
    return inside;
}

GroupShape atOneSite(const GroupShape& shape) {
    GroupShape one = shape;
    one.sites = one.siteGroups = 1;
    return one;
}

GroupShape groupShape(const Layout& layout,
                      const RankOrder& order,
                      GroupKind kind,
                      const ClusterLinks& links) {
    return groupShape(groupAxes(layout, order, kind), layout.world(), links);
}

GroupShape wholeNodes(std::int64_t ranks, const ClusterLinks& links) {
    GroupAxes group;
    group.add({ranks, 1});
    return groupShape(group, ranks, links);
}

GroupShape overHosts(std::int64_t ranks, std::int64_t hosts, const ClusterLinks& links) {
    const std::int64_t perHost = ceilOf(ranks, hosts);
    if (hosts == 1 || perHost >= links.nodeGpus || links.joinsHosts()) {
        return wholeNodes(ranks, links);
    }
    GroupAxes group;
    group.add({perHost, 1});
    group.add({hosts, links.nodeGpus});
    GroupShape shape = groupShape(group, hosts * links.nodeGpus, links);
    shape.ranks = ranks;
    shape.sharing = 1;
    // A GPU sends by its own NIC; of fewer NICs than GPUs one is there at least.
    const double all = links.nicsPerGpu * static_cast<double>(links.nodeGpus);
    shape.nics = std::max(shape.nics, std::min(1.0, all));
    return shape;
}

}  // namespace fabricast
