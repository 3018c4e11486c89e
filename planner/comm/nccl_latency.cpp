#include "planner/comm/nccl_estimate.h"

#include <algorithm>
#include <bit>

namespace fabricast {
namespace {

/// What PAT's steps over the network cost of a plain one, and each rank on top.
constexpr double kPatSteps = 1.0 / 3.5;
constexpr Seconds kPatPerRank = Seconds(2.8e-6);
/// CollNet sends to the ranks of a node one after the other.
constexpr Seconds kCollNetPerRank = Seconds(0.4e-6);
/// A message of the Simple protocol is posted, sent and flushed.
constexpr double kSimplePosts = 3.0;

double floorLog2(std::int64_t value) {
    return static_cast<double>(std::bit_width(static_cast<std::uint64_t>(value)) - 1);
}

Seconds ringLatency(const NcclCall& call, const NcclModel& model, Seconds intra, Seconds inter) {
    const auto ring = static_cast<std::size_t>(CollectiveAlgorithm::Ring);
    const auto protocol = static_cast<std::size_t>(call.protocol);
    if (call.kind == CollectiveKind::Broadcast || call.kind == CollectiveKind::Reduce) {
        // Every channel has the same order of ranks: the pipeline fills once.
        const LinkClass link = call.nodes == 1 ? call.intra : LinkClass::Network;
        return model.stepLatency[static_cast<std::size_t>(link)][ring][protocol];
    }
    const std::int64_t steps = ringSteps(call.kind, call.ranks);
    const std::int64_t rounds = call.kind == CollectiveKind::AllReduce ? 2 : 1;
    const std::int64_t hops = rounds * (call.nodes - 1);
    if (call.nodes > 1) {
        const bool simple = call.protocol == CollectiveProtocol::Simple;
        intra = std::max(intra, call.networkOverhead * (simple ? kSimplePosts : 1.0));
    }
    return static_cast<double>(steps - hops) * intra + static_cast<double>(hops) * inter;
}

Seconds collNetLatency(const NcclCall& call, Seconds intra, Seconds inter) {
    const auto others = static_cast<double>(call.perNode - 1);
    return 2.0 * (std::min(1.0, others) * intra + others * kCollNetPerRank) + inter;
}

}  // namespace

std::int64_t ringSteps(CollectiveKind kind, std::int64_t ranks) {
    switch (kind) {
        case CollectiveKind::AllReduce:
            return 2 * (ranks - 1);
        case CollectiveKind::AllGather:
        case CollectiveKind::ReduceScatter:
            return ranks - 1;
        default:
            return ranks;
    }
}

Seconds ncclLatency(const NcclCall& call, const NcclModel& model) {
    const auto algorithm = static_cast<std::size_t>(call.algorithm);
    const auto protocol = static_cast<std::size_t>(call.protocol);
    const auto& network = model.stepLatency[static_cast<std::size_t>(LinkClass::Network)];
    const Seconds base = model.baseLatency[algorithm][protocol];
    const Seconds intra =
        model.stepLatency[static_cast<std::size_t>(call.intra)][algorithm][protocol];
    // With one rank per node nothing hides the network: the tree's latency, whatever is run.
    const auto tree = static_cast<std::size_t>(CollectiveAlgorithm::Tree);
    Seconds inter = network[call.perNode == 1 ? tree : algorithm][protocol];
    const bool simple = call.protocol == CollectiveProtocol::Simple;
    inter += call.networkLatency * (simple ? 2.0 : 1.0);  // sent, and flushed
    const double levels = floorLog2(call.nodes);
    switch (call.algorithm) {
        case CollectiveAlgorithm::Ring:
            return base + ringLatency(call, model, intra, inter);
        case CollectiveAlgorithm::Tree:
            return base + 2.0 * (static_cast<double>(call.perNode - 1) * intra + levels * inter);
        case CollectiveAlgorithm::Nvls:
            return call.nodes > 1 ? intra + inter : intra;
        case CollectiveAlgorithm::NvlsTree:
            return base + intra + 2.0 * levels * inter;
        case CollectiveAlgorithm::Pat:
            return base + levels * kPatSteps * inter +
                   static_cast<double>(call.ranks) * kPatPerRank;
        case CollectiveAlgorithm::CollNetDirect:
            return base + collNetLatency(call, intra, inter);
        case CollectiveAlgorithm::CollNetChain:
            return base + 2.0 * static_cast<double>(call.perNode - 1) * intra + inter;
        case CollectiveAlgorithm::PointToPoint:
            return base;
    }
    return base;
}

}  // namespace fabricast
