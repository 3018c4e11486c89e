#include "planner/comm/cluster_links.h"

#include "planner/spec/check_settings.h"

#include <algorithm>
#include <bit>
#include <string>

namespace fabricast {
namespace {

/// Usable part of a PCIe link without measurements: 24 to 26 of 31.5 GB/s on fourth generation
/// cards, 52 to 56 of 63 on the fifth.
constexpr double kPciUsable = 0.8;
/// Ports of a leaf switch, to guess what shares one if the profile has no data.
constexpr double kLeafPorts = 64.0;
/// The largest box of one board; what is larger is a rack.
constexpr std::int64_t kLargestBoard = 16;

BytesPerSecond lesser(BytesPerSecond a, BytesPerSecond b) {
    return std::min(a, b);
}

NodeFabric nodeFabric(const NodeSpec& node) {
    if (node.gpuFabric == "nvswitch") {
        return NodeFabric::Switch;
    }
    if (node.gpuFabric == "nvlink-mesh") {
        return NodeFabric::Mesh;
    }
    return node.gpuFabric == "xgmi" ? NodeFabric::Xgmi : NodeFabric::Pcie;
}

Result<NcclGeneration> generationOf(const GpuSpec& gpu, const NcclModel& model) {
    for (const NcclGeneration& generation : model.generations) {
        if (std::ranges::find(generation.architectures, gpu.architecture) !=
            generation.architectures.end()) {
            return generation;
        }
    }
    const bool usesNccl = gpu.vendor == "NVIDIA" || gpu.vendor == "AMD";
    return fail(Error::Code::Unsupported,
                "gpu \"" + gpu.name + "\"",
                "communication is not modelled: the collectives of \"" + model.name +
                    "\" do not include \"" + gpu.architecture + "\"",
                usesNccl ? "add it to the architectures of a generation in collectives/" +
                               model.name + ".json"
                         : "fabricast explain, whose memory does not depend on them");
}

/// Links that a bridged or switched GPU has; from the data sheet's rate where the count is not
/// said.
std::int64_t linksOf(const GpuSpec& gpu) {
    constexpr double kLinkRate = 25e9;
    if (gpu.links > 0 || !gpu.linkBandwidth.value) {
        return gpu.links;
    }
    return static_cast<std::int64_t>(gpu.linkBandwidth.value->count() / kLinkRate);
}

void setPci(const NodeSpec& node, const NcclModel& model, ClusterLinks& links) {
    const PciTopology& pci = node.pci;
    const bool peers = node.gpu.peerToPeer.value.value_or(true);
    links.pciPeers = peers;
    const BytesPerSecond line = node.gpu.pcieBandwidth.value.value_or(BytesPerSecond(0));
    const BytesPerSecond usable = pci.hostBandwidth.value.value_or(line * kPciUsable);
    links.pciBandwidth = peers ? pci.peerBandwidth.value.value_or(usable) : usable;
    links.pciSocketRing = links.pciBandwidth * (peers ? model.pciPeerShare : model.pciHostShare);
    const BytesPerSecond crossing =
        lesser(links.pciBandwidth, pci.crossSocketBandwidth.value.value_or(links.pciBandwidth));
    links.pciNodeRing = crossing * (peers ? model.pciPeerShare : model.pciHostShare);
    if (pci.ringBusBandwidth.value && peers) {
        links.pciNodeRing = *pci.ringBusBandwidth.value;
        links.pciSocketRing = std::max(links.pciSocketRing, links.pciNodeRing);
    }
    const std::int64_t sockets = std::max<std::int64_t>(1, pci.numaNodes.value.value_or(1));
    links.socketGpus =
        std::max<std::int64_t>(1, pci.gpusPerSwitch.value.value_or(node.gpus / sockets));
}

const NcclNetwork* networkOf(const FabricSpec& fabric, const NcclModel& model) {
    const auto found = std::ranges::find(model.networks, fabric.kind, &NcclNetwork::kind);
    return found == model.networks.end() ? nullptr : &*found;
}

/// Nodes under one leaf, if the profile has only the taper of the tree above it.
std::int64_t guessedPod(double oversubscription, double nics) {
    const double down = kLeafPorts * oversubscription / (oversubscription + 1.0);
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(down / std::max(1.0, nics)));
}

void setTree(const ClusterSpec& cluster, ClusterLinks& links) {
    const FabricSpec& fabric = cluster.fabric;
    links.oversubscription = std::max(1.0, fabric.oversubscription.value.value_or(1.0));
    if (links.oversubscription <= 1.0) {
        return;
    }
    const double nics = links.nicsPerGpu * static_cast<double>(links.nodeGpus);
    if (fabric.fullBisectionGpus.value) {
        links.podNodes =
            std::max<std::int64_t>(1, *fabric.fullBisectionGpus.value / links.nodeGpus);
    } else {
        links.podNodes =
            fabric.nodesPerLeaf.value.value_or(guessedPod(links.oversubscription, nics));
    }
}

Result<void> setNetwork(const ClusterSpec& cluster, const NcclModel& model, ClusterLinks& links) {
    const NodeSpec& node = cluster.node;
    const FabricSpec& fabric = cluster.fabric;
    if (!hasNetwork(cluster)) {
        return checkNetwork(cluster);
    }
    const NcclNetwork* network = networkOf(fabric, model);
    if (network == nullptr) {
        return fail(Error::Code::Unsupported,
                    "fabric \"" + fabric.name + "\"",
                    "\"" + model.name + "\" has no network of kind \"" + fabric.kind + "\"",
                    "infiniband, roce, efa, tcp or gpudirect-tcpx");
    }
    links.network = *network;
    const auto nics = static_cast<double>(*node.nics.value);
    const double perNode = fabric.perNode ? 1.0 / nics : 1.0;
    BytesPerSecond rate = node.nicBandwidth.value.value_or(BytesPerSecond(0));
    if (rate.count() <= 0) {
        rate = *fabric.linkBandwidth.value * perNode;
    }
    BytesPerSecond sustained = rate * network->efficiency;
    if (fabric.achievedBandwidth.value) {
        links.networkMeasured = true;
        // The fabric's NIC may be of another speed than the node's.
        const BytesPerSecond line = fabric.linkBandwidth.value.value_or(rate);
        sustained = rate * std::min(1.0, *fabric.achievedBandwidth.value / line);
        if (fabric.perNode) {
            sustained = lesser(rate, *fabric.achievedBandwidth.value * perNode);
        }
    }
    links.nicsPerGpu = nics / static_cast<double>(std::max<std::int64_t>(1, node.gpus));
    links.nicBandwidth = sustained;
    if (links.nicsPerGpu > 0 && links.pciBandwidth.count() > 0) {
        // What a GPU sends goes through its own PCIe link, or the NIC's.
        const double most = links.pciBandwidth.count() / std::max(1.0, links.nicsPerGpu);
        links.nicBandwidth = lesser(links.nicBandwidth, BytesPerSecond(most));
    }
    links.networkReduction = fabric.inNetworkReduction;
    links.networkLatency = std::max(network->latency, fabric.latency.value.value_or(Seconds(0)));
    setTree(cluster, links);
    return {};
}

void setSites(const ClusterSpec& cluster, ClusterLinks& links) {
    links.sites = cluster.sites.count;
    links.siteGpus = cluster.siteGpus();
    if (links.sites > 1) {
        links.siteBandwidth = cluster.sites.sustained();
        links.siteLatency = cluster.sites.latency;
        links.domainGpus = std::min(links.domainGpus, links.siteGpus);
    }
}

}  // namespace

bool ClusterLinks::joinsHosts() const {
    return fabric == NodeFabric::Switch && std::max(domainGpus, nodeGpus) > kLargestBoard;
}

std::int64_t ClusterLinks::islandGpus(std::int64_t world) const {
    world = sites > 1 ? std::min(world, siteGpus) : world;
    const std::int64_t island =
        fabric == NodeFabric::Switch ? std::max(domainGpus, nodeGpus) : nodeGpus;
    if (island <= kLargestBoard || world <= island || world % island == 0) {
        return island;
    }
    // A job that does not fill racks of 72 takes 64 of each, so that its groups stay inside.
    const auto even = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(island)));
    return world % even == 0 ? even : island;
}

Result<ClusterLinks> clusterLinks(const ClusterSpec& cluster, const NcclModel& model) {
    const NodeSpec& node = cluster.node;
    ClusterLinks links;
    FABRICAST_ASSIGN(links.generation, generationOf(node.gpu, model));
    links.own = node.own.factors;
    links.nodeGpus = std::max<std::int64_t>(1, node.gpus);
    links.fabric = nodeFabric(node);
    links.domainGpus = std::max<std::int64_t>(1, node.domainGpus);
    links.gpuLinks = linksOf(node.gpu);
    links.gpuBandwidth = links.generation.linkBandwidth * static_cast<double>(links.gpuLinks);
    if (links.gpuLinks == 0) {
        links.domainGpus = 1;
        links.fabric = NodeFabric::Pcie;
    }
    links.switchReduction = node.inSwitchReduction && links.generation.nvlsShare > 0;
    setPci(node, model, links);
    const bool amd =
        node.cpu.find("EPYC") != std::string::npos || node.cpu.find("AMD") != std::string::npos;
    links.networkOverhead = amd ? model.amdNetOverhead : model.intelNetOverhead;
    links.llNetworkMost = amd ? model.llAmdMost : model.llIntelMost;
    FABRICAST_TRY(setNetwork(cluster, model, links));
    setSites(cluster, links);
    return links;
}

}  // namespace fabricast
