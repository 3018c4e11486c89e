#include "planner/comm/nccl_estimate.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// Rings that RCCL lays over each xGMI link.
constexpr std::int64_t kChannelsPerXgmiLink = 4;
/// A PCIe box gets one or two rings, each twice.
constexpr std::int64_t kPciChannels = 2;
/// NCCL doubles channels from this rate, and on new GPUs not if that would be many slow ones.
constexpr BytesPerSecond kDoubledFrom = BytesPerSecond(25e9);
constexpr BytesPerSecond kFast = BytesPerSecond(50e9);
constexpr std::int64_t kFew = 4;
/// Peers that a reduction in the switch can have, and NICs a ring search takes.
constexpr std::int64_t kMostHeads = 32;
constexpr std::int64_t kMostSearched = 32;

/// The most channels whose rate fits: the largest product, of equals the fastest channel.
NodeRing searchRings(BytesPerSecond total, const NcclGeneration& generation) {
    NodeRing best{.bus = total, .channels = 1};
    double most = 0.0;
    BytesPerSecond speed = total;
    for (const BytesPerSecond candidate : generation.speeds) {
        const auto channels =
            std::min<std::int64_t>(kMostSearched, static_cast<std::int64_t>(total / candidate));
        const double product = static_cast<double>(channels) * candidate.count();
        if (product > most) {
            most = product;
            best = {.bus = BytesPerSecond(product), .channels = channels};
            speed = candidate;
        }
    }
    const bool manySlow = generation.nvlsShare > 0 && speed < kFast && best.channels > kFew;
    if (speed >= kDoubledFrom && !manySlow) {
        best.channels *= 2;
    }
    return best;
}

NodeRing pciRing(const GroupShape& shape, const ClusterLinks& links) {
    return {.bus = shape.sockets > 1 ? links.pciNodeRing : links.pciSocketRing,
            .channels = kPciChannels,
            .link = LinkClass::Pci};
}

/// One link to each peer: a ring set of n GPUs uses n - 1 links of each.
NodeRing xgmiRing(const GroupShape& shape, const ClusterLinks& links) {
    const std::int64_t used = std::min(links.gpuLinks, shape.perNode - 1);
    return {.bus = links.generation.linkBandwidth * static_cast<double>(used),
            .channels = kChannelsPerXgmiLink * used};
}

/// Four GPUs share their links evenly among each other; of eight (DGX-1), each has two thirds of
/// its links inside its half of the board.
NodeRing meshRing(const GroupShape& shape, const ClusterLinks& links) {
    constexpr std::int64_t kHalf = 4;
    const std::int64_t near = std::min(kHalf, links.nodeGpus);
    double used = 1.0;
    if (shape.perNode <= near && near > 1) {
        used = static_cast<double>(shape.perNode - 1) / static_cast<double>(near - 1);
        used *= links.nodeGpus > kHalf ? 2.0 / 3.0 : 1.0;
    }
    return searchRings(links.gpuBandwidth * used, links.generation);
}

std::int64_t networkChannels(const GroupShape& shape, const ClusterLinks& links) {
    auto channels = static_cast<std::int64_t>(std::lround(shape.nics));
    channels = std::clamp<std::int64_t>(channels, 1, kMostSearched);
    const bool manySlow =
        links.generation.nvlsShare > 0 && links.nicBandwidth < kFast && channels > kFew;
    return links.nicBandwidth >= kDoubledFrom && !manySlow ? 2 * channels : channels;
}

void addNvls(const GroupShape& shape, const ClusterLinks& links, NcclGraph& graph) {
    if (!links.switchReduction || shape.perNode < 3) {
        return;
    }
    // Every head takes its rate from all GPUs, and twice from its own.
    const std::int64_t heads = std::min(shape.perNode, kMostHeads);
    const double fits = links.gpuBandwidth.count() / static_cast<double>(heads + 1);
    for (const BytesPerSecond speed : links.generation.speeds) {
        if (speed.count() <= fits) {
            graph.nvlsHeads = heads;
            graph.nvlsBandwidth = speed;
            break;
        }
    }
    graph.nvlsNetwork = links.generation.speeds.front();
    if (shape.nodes > 1) {
        const double nics = std::min(shape.nics, static_cast<double>(shape.perNode));
        graph.nvlsHeads = std::min(graph.nvlsHeads, std::max<std::int64_t>(1, std::lround(nics)));
        graph.nvlsNetwork = graph.network * (1.0 / static_cast<double>(graph.nvlsHeads));
    }
}

}  // namespace

double crossingShare(double crossing, double oversubscription) {
    return 1.0 / std::max(1.0, crossing * oversubscription);
}

double scaleShare(std::int64_t nodes, const NcclNetwork& network) {
    double share = 1.0;
    double from = 2.0;
    const auto wanted = static_cast<double>(nodes);
    for (const NcclNetwork::Scale& point : network.scale) {
        if (wanted >= point.nodes) {
            share = point.share;
            from = point.nodes;
            continue;
        }
        const double part =
            wanted <= from ? 0.0 : std::log2(wanted / from) / std::log2(point.nodes / from);
        return share + (point.share - share) * part;
    }
    return share;
}

NodeRing nodeRing(const GroupShape& shape, const ClusterLinks& links) {
    if (links.fabric == NodeFabric::Pcie && (shape.domains > 1 || links.domainGpus == 1)) {
        return pciRing(shape, links);
    }
    switch (links.fabric) {
        case NodeFabric::Xgmi:
            return xgmiRing(shape, links);
        case NodeFabric::Mesh:
            return meshRing(shape, links);
        default:
            return searchRings(links.gpuBandwidth, links.generation);
    }
}

NcclGraph ncclGraph(const GroupShape& shape, const ClusterLinks& links) {
    NcclGraph graph;
    NodeRing inside;
    if (shape.perNode > 1) {
        inside = nodeRing(shape, links);
        graph.intra = inside.link;
        graph.channels = inside.channels;
        graph.ringBus = inside.bus;
        graph.treeBus = inside.bus;
    }
    if (shape.nodes > 1) {
        // Of a ring's hops between nodes one in nodesPerPod leaves the pod.
        const double crossing = shape.pods > 1 ? 1.0 / static_cast<double>(shape.nodesPerPod) : 0.0;
        graph.network =
            links.nicBandwidth * (shape.nics * crossingShare(crossing, links.oversubscription));
        graph.channels = networkChannels(shape, links);
        // Every byte of a ring passes every node: one slow link holds all up, which trees bear.
        graph.ringBus = graph.network * scaleShare(shape.nodes, links.network);
        // Of two trees over two nodes each sends every byte once; over more, twice as much.
        graph.treeBus = graph.network * (shape.nodes == 2 ? 2.0 : 1.0);
        if (shape.perNode > 1) {
            // In each ring one GPU of the node sends to the network instead of to its neighbour.
            const auto members = static_cast<double>(shape.perNode);
            const double spared =
                inside.link == LinkClass::NvLink ? members / (members - 1.0) : 1.0;
            graph.ringBus = std::min(graph.ringBus, inside.bus * spared);
            graph.treeBus = std::min(graph.treeBus, inside.bus);
        }
    }
    addNvls(shape, links, graph);
    return graph;
}

}  // namespace fabricast
