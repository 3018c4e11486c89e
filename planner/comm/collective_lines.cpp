#include "planner/base/check.h"
#include "planner/comm/collective_time.h"

#include <algorithm>

// What an algorithm and a protocol give to a group: the lines that CollectivePrior chooses from.

namespace fabricast {
namespace {

/// A switch with SHARP does AllReduce at this share of the rate on GPUs of Hopper and later.
constexpr double kCollNetShare = 0.85;

std::size_t nodesIndex(std::int64_t nodes) {
    return nodes <= 2 ? static_cast<std::size_t>(nodes - 1) : 2;
}

bool isSharded(CollectiveKind kind) {
    return kind == CollectiveKind::AllGather || kind == CollectiveKind::ReduceScatter;
}

}  // namespace

CollectivePrior::CollectivePrior(CollectiveKind kind,
                                 const GroupShape& shape,
                                 const ClusterLinks& links,
                                 const NcclModel& model)
    : kind_(kind), shape_(shape), links_(&links), model_(&model), graph_(ncclGraph(shape, links)) {
    if (shape.ranks <= 1) {
        return;
    }
    if (kind == CollectiveKind::AllToAll || kind == CollectiveKind::SendReceive) {
        addPairs();
        return;
    }
    addRings();
    if (kind == CollectiveKind::AllReduce) {
        addTrees();
        addCollNet();
    }
    addSwitch();
    if (isSharded(kind)) {
        addPat();
    }
}

/// A line for what `bus` gives, unless it is nothing. Bus bandwidth is that of the busiest link; of
/// the collective's size it is n / steps in rings and in the switch, half in other trees.
void CollectivePrior::add(CollectiveAlgorithm algorithm,
                          CollectiveProtocol protocol,
                          BytesPerSecond bus,
                          std::int64_t channels) {
    if (bus.count() <= 0) {
        return;
    }
    const bool ringLike = algorithm == CollectiveAlgorithm::Ring ||
                          algorithm == CollectiveAlgorithm::Nvls ||
                          algorithm == CollectiveAlgorithm::NvlsTree;
    double ratio = 0.5;
    if (ringLike) {
        ratio =
            static_cast<double>(shape_.ranks) / static_cast<double>(ringSteps(kind_, shape_.ranks));
    }
    if (isSharded(kind_) && algorithm != CollectiveAlgorithm::Ring) {
        ratio = 1.0;
    }
    const NcclCall call{.kind = kind_,
                        .algorithm = algorithm,
                        .protocol = protocol,
                        .ranks = shape_.ranks,
                        .nodes = shape_.nodes,
                        .perNode = shape_.perNode,
                        .intra = graph_.intra,
                        .networkLatency = links_->networkLatency,
                        .networkOverhead = links_->networkOverhead};
    FABRICAST_CHECK(count_ < lines_.size());
    lines_[count_++] = {.algorithm = algorithm,
                        .protocol = protocol,
                        .latency = ncclLatency(call, *model_),
                        .bandwidth = bus * ratio,
                        .channels = channels > 0 ? channels : kernelChannels()};
}

/// NCCL runs every channel of its search twice.
std::int64_t CollectivePrior::kernelChannels() const {
    return std::min(model_->mostChannels, 2 * graph_.channels);
}

void CollectivePrior::addRings() {
    const NcclGeneration& gpu = links_->generation;
    const std::size_t at = nodesIndex(shape_.nodes);
    const auto& share = model_->ringShare[at == 0 ? 0 : 1];
    const BytesPerSecond bus = graph_.ringBus;
    const BytesPerSecond ll = at == 0 ? gpu.llNodeMost : links_->llNetworkMost[at - 1];
    const auto channels = static_cast<double>(graph_.channels);
    add(CollectiveAlgorithm::Ring, CollectiveProtocol::Ll, std::min(ll, bus * share[0]));
    if (gpu.ll128 && graph_.intra == LinkClass::NvLink) {
        add(CollectiveAlgorithm::Ring,
            CollectiveProtocol::Ll128,
            std::min(bus * share[1], gpu.ringLl128Most[at] * channels));
    }
    add(CollectiveAlgorithm::Ring, CollectiveProtocol::Simple, bus * share[2]);
}

void CollectivePrior::addTrees() {
    const NcclGeneration& gpu = links_->generation;
    const std::size_t at = nodesIndex(shape_.nodes);
    const auto& share = model_->treeProtocolShare[at == 0 ? 0 : 1];
    const auto channels = static_cast<double>(graph_.channels);
    const BytesPerSecond bus =
        std::min(graph_.treeBus * model_->treeShare, gpu.treeMost[at] * channels);
    const BytesPerSecond ll = at == 0 ? gpu.llNodeMost : links_->llNetworkMost[at - 1];
    add(CollectiveAlgorithm::Tree, CollectiveProtocol::Ll, std::min(ll, bus * share[0]));
    if (gpu.ll128 && graph_.intra == LinkClass::NvLink) {
        add(CollectiveAlgorithm::Tree,
            CollectiveProtocol::Ll128,
            std::min(bus * share[1], gpu.treeLl128Most[at] * channels));
    }
    add(CollectiveAlgorithm::Tree, CollectiveProtocol::Simple, bus * share[2]);
}

/// Reduction in the NVSwitch: on one node, and with trees between nodes for an all-reduce.
void CollectivePrior::addSwitch() {
    const bool pipeline = kind_ == CollectiveKind::Broadcast || kind_ == CollectiveKind::Reduce;
    if (graph_.nvlsHeads < 2 || pipeline || (isSharded(kind_) && shape_.nodes > 1)) {
        return;
    }
    const NcclGeneration& gpu = links_->generation;
    const auto heads = static_cast<double>(graph_.nvlsHeads);
    const auto members = static_cast<double>(shape_.perNode);
    // An all-reduce pipelines its two halves.
    const double rounds = isSharded(kind_) ? (members - 1.0) / members : 2.0;
    const BytesPerSecond inside =
        graph_.nvlsBandwidth * (gpu.nvlsShare * (heads - 1.0) / heads * rounds);
    if (shape_.nodes == 1) {
        add(CollectiveAlgorithm::Nvls,
            CollectiveProtocol::Simple,
            std::min(inside, graph_.nvlsNetwork) * heads,
            gpu.nvlsChannels[0]);
        return;
    }
    const BytesPerSecond most = gpu.nvlsTreeMost[nodesIndex(shape_.nodes)];
    const BytesPerSecond between = graph_.nvlsNetwork * (shape_.nodes == 2 ? 2.0 : 1.0);
    add(CollectiveAlgorithm::NvlsTree,
        CollectiveProtocol::Simple,
        std::min({inside, between, most}) * heads,
        gpu.nvlsChannels[1]);
}

/// Logarithmic gather and scatter, for one rank per node only.
void CollectivePrior::addPat() {
    if (shape_.nodes > 1 && shape_.perNode == 1) {
        add(CollectiveAlgorithm::Pat,
            CollectiveProtocol::Simple,
            graph_.ringBus * model_->patShare);
    }
}

/// Reduction in the network's switches.
void CollectivePrior::addCollNet() {
    if (!links_->networkReduction || shape_.nodes < 2 || links_->fabric != NodeFabric::Switch) {
        return;
    }
    double factor = static_cast<double>(shape_.perNode) / static_cast<double>(graph_.channels);
    factor -= (factor - 1.0) / 2.0;
    const double share = links_->generation.nvlsShare > 0 ? kCollNetShare : 1.0;
    // Every byte goes up to the switch once and comes down once.
    const BytesPerSecond bus = std::min(graph_.network * 2.0, links_->gpuBandwidth);
    add(CollectiveAlgorithm::CollNetDirect,
        CollectiveProtocol::Simple,
        bus * (share / std::max(1.0, factor)));
}

/// Ranks send to each other without a ring: each link carries what its two ends exchange.
///     t = first + peers · further + max(local / links, remote / NICs)
/// with flags in the data for small messages, without for large.
void CollectivePrior::addPairs() {
    const NcclGeneration& gpu = links_->generation;
    const bool toAll = kind_ == CollectiveKind::AllToAll;
    const auto ranks = static_cast<double>(shape_.ranks);
    const auto members = static_cast<double>(shape_.perNode);
    const double local = toAll ? members - 1.0 : (shape_.nodes == 1 ? 1.0 : 0.0);
    const double remote = toAll ? ranks - members : (shape_.nodes > 1 ? 1.0 : 0.0);
    const double parts = toAll ? ranks : 1.0;
    const NodeRing inside = local > 0 ? nodeRing(shape_, *links_) : NodeRing{};
    double perByte = 0.0;
    if (local > 0) {
        BytesPerSecond rate = inside.bus;
        if (inside.link == LinkClass::NvLink) {
            const bool direct = links_->fabric == NodeFabric::Xgmi;
            rate = direct ? gpu.linkBandwidth * local
                          : links_->gpuBandwidth * (local / (local + gpu.pairSpread));
            rate = rate * gpu.pairShare;
        }
        perByte = local / parts / rate.count();
    }
    if (remote > 0) {
        perByte = std::max(perByte, remote / parts / pairNetwork(toAll).count());
    }
    const LinkClass link = remote > 0 ? LinkClass::Network : inside.link;
    const auto& latency = model_->pairLatency[static_cast<std::size_t>(link)];
    const double furtherLocal = std::max(0.0, local - (remote > 0 ? 0.0 : 1.0));
    Seconds further = model_->peerLatency[static_cast<std::size_t>(inside.link)] * furtherLocal;
    if (remote > 0) {
        further += links_->networkLatency;
        further += model_->peerLatency[static_cast<std::size_t>(link)] * (remote - 1.0);
    }
    const double perByteLl = std::max(perByte, 1.0 / parts / model_->pairLlBandwidth.count());
    for (const bool flags : {true, false}) {
        lines_[count_++] = {.algorithm = CollectiveAlgorithm::PointToPoint,
                            .protocol = flags ? CollectiveProtocol::Ll : CollectiveProtocol::Simple,
                            .latency = latency[flags ? 0 : 1] + further,
                            .bandwidth = BytesPerSecond(1.0 / (flags ? perByteLl : perByte)),
                            .channels = kernelChannels()};
    }
}

/// What one rank sends to other nodes: its share of the NICs. Of a ring's stages one in nodesPerPod
/// sends out of its pod, of an all-to-all all that is for other pods.
BytesPerSecond CollectivePrior::pairNetwork(bool toAll) const {
    double share = scaleShare(shape_.nodes, links_->network);
    if (shape_.pods > 1) {
        const auto near = static_cast<double>(shape_.nodesPerPod * shape_.perNode);
        const double crossing = toAll ? 1.0 - near / static_cast<double>(shape_.ranks)
                                      : 1.0 / static_cast<double>(shape_.nodesPerPod);
        share *= crossingShare(crossing, links_->oversubscription);
    }
    return links_->nicBandwidth * (shape_.nics / static_cast<double>(shape_.perNode) * share);
}

}  // namespace fabricast
