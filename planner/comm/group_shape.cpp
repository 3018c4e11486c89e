#include "planner/comm/group_shape.h"

#include <algorithm>

namespace fabricast {

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
    return shape;
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

}  // namespace fabricast
