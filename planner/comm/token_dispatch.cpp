#include "planner/comm/expert_calls.h"
#include "planner/comm/own_line.h"

#include <algorithm>

namespace fabricast {
namespace {

/// Of what a NIC sustains: H100 with 400 Gb/s NICs sends 45 to 46 GB/s between 2 and 4 nodes
/// (DeepEP's published 90 and 61 GB/s, which count the copies that stay).
constexpr double kNicShare = 0.96;
/// Of a GPU's links inside the node.
constexpr double kLinkShare = 0.88;
/// Multiprocessors that DeepEP takes by default.
constexpr std::int64_t kDispatchChannels = 24;

/// Copies of a token that leave its node, of those to a number of nodes.
double copiesAway(const TokenDispatch& dispatch, std::int64_t places) {
    const auto all = static_cast<double>(places);
    return expectedPlaces(dispatch.experts, dispatch.topK, places) * (all - 1.0) / all;
}

}  // namespace

double expectedPlaces(std::int64_t experts, std::int64_t topK, std::int64_t places) {
    const auto all = static_cast<double>(experts);
    const double elsewhere = all - all / static_cast<double>(places);
    double missed = 1.0;
    for (std::int64_t i = 0; i < topK; ++i) {
        const auto taken = static_cast<double>(i);
        missed *= std::max(0.0, elsewhere - taken) / std::max(1.0, all - taken);
    }
    return static_cast<double>(places) * (1.0 - missed);
}

CollectiveTime dispatchTime(const TokenDispatch& dispatch,
                            const GroupShape& shape,
                            const ClusterLinks& links,
                            const NcclModel& model) {
    if (shape.ranks <= 1) {
        return {};
    }
    const auto bytes = static_cast<double>(dispatch.tokens.count());
    const NodeRing inside = nodeRing(shape, links);
    const BytesPerSecond link = inside.link == LinkClass::Pci ? inside.bus : links.gpuBandwidth;
    const auto members = static_cast<double>(shape.perNode);
    const double copies = expectedPlaces(dispatch.experts, dispatch.topK, shape.ranks);
    const double nearBytes = bytes * copies * (members - 1.0) / members;
    double seconds = nearBytes / (link.count() * kLinkShare);
    double wire = nearBytes;
    LinkClass slowest = inside.link;
    if (shape.nodes > 1) {
        const double farBytes = bytes * copiesAway(dispatch, shape.nodes);
        const double nic = links.nicBandwidth.count() * shape.nics / members * kNicShare *
                           scaleShare(shape.nodes, links.network);
        seconds = std::max(seconds, farBytes / nic);
        wire += farBytes;
        slowest = LinkClass::Network;
    }
    const Seconds latency = model.pairLatency[static_cast<std::size_t>(slowest)][1] +
                            (shape.nodes > 1 ? links.networkLatency : Seconds(0));
    const OwnLine own = ownLine(CollectiveKind::AllToAll, shape, links.own);
    return {.seconds = latency * own.latency + Seconds(seconds * own.perByte),
            .algorithm = CollectiveAlgorithm::PointToPoint,
            .protocol = CollectiveProtocol::Simple,
            .channels = kDispatchChannels,
            .wire = Bytes(static_cast<std::int64_t>(wire)),
            .evidence = CollectiveEvidence::Modelled};
}

}  // namespace fabricast
