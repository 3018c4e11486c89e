#include "planner/profiles/profile_words.h"
#include "planner/profiles/read_profile.h"
#include "planner/profiles/sourced_json.h"

#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 16> kNodeKeys = {"schema",
                                                        "name",
                                                        "aliases",
                                                        "title",
                                                        "gpu",
                                                        "gpus",
                                                        "gpu_fabric",
                                                        "domain_gpus",
                                                        "pcie",
                                                        "nics",
                                                        "cpu",
                                                        "host_memory",
                                                        "host_memory_bandwidth",
                                                        "nvme",
                                                        "power",
                                                        "notes"};
constexpr std::array<std::string_view, 5> kGpuFabricKeys = {
    "kind", "fabric", "switches", "in_switch_reduction", "note"};
constexpr std::int64_t kMostSwitches = 1024;
constexpr std::array<std::string_view, 6> kGpuFabricKinds = {
    "nvswitch", "nvlink-mesh", "nvlink-bridge", "xgmi", "pcie", "ethernet"};
constexpr std::array<std::string_view, 10> kNodePcieKeys = {"numa_nodes",
                                                            "root_complexes",
                                                            "gpus_per_switch",
                                                            "peer_bandwidth",
                                                            "cross_socket_bandwidth",
                                                            "socket_link",
                                                            "host_bandwidth",
                                                            "ring_bus_bandwidth",
                                                            "peer_latency",
                                                            "host_link"};
constexpr std::array<std::string_view, 3> kNicKeys = {"count", "bandwidth", "fabric"};

constexpr std::array<std::string_view, 10> kNeeded = {"gpu",
                                                      "gpus",
                                                      "gpu_fabric",
                                                      "gpu_fabric.kind",
                                                      "pcie",
                                                      "pcie.numa_nodes",
                                                      "pcie.root_complexes",
                                                      "nics",
                                                      "nics.count",
                                                      "nics.bandwidth"};

/// All keys that are missing, at once: not one after the other, each time the file is read.
Result<void> checkNodeComplete(const JsonValue& root) {
    std::string missing;
    std::size_t count = 0;
    for (const std::string_view path : kNeeded) {
        const std::size_t dot = path.find('.');
        const JsonValue* part = root.find(path.substr(0, dot));
        const bool isNested = dot != std::string_view::npos;
        const bool isThere =
            part != nullptr && (!isNested || part->find(path.substr(dot + 1)) != nullptr);
        const bool isKnown = isNested && part == nullptr;  // by its part
        if (!isThere && !isKnown) {
            missing += (missing.empty() ? "\"" : ", \"") + std::string(path) + "\"";
            ++count;
        }
    }
    return count < 2 ? Result<void>()
                     : Result<void>(tl::unexpected(root.problem(
                           "has no " + missing, "fabricast profiles new node prints a template")));
}

/// A fabric the node names under `key`, remembered so that it can be looked up.
Result<std::string> readFabricName(const JsonValue& object,
                                   std::string_view key,
                                   NodeProfile& profile) {
    FABRICAST_ASSIGN(const std::optional<ProfileReference> said, readReferenceOr(object, key));
    if (!said) {
        return std::string();
    }
    profile.fabrics.push_back(*said);
    return said->name;
}

Result<void> readGpuFabric(const JsonValue& root, NodeProfile& profile) {
    NodeSpec& node = profile.node;
    FABRICAST_ASSIGN(const JsonValue* const fabric, root.require("gpu_fabric"));
    FABRICAST_TRY(fabric->onlyKeys(kGpuFabricKeys));
    FABRICAST_ASSIGN(const JsonValue* const kind, fabric->require("kind"));
    FABRICAST_ASSIGN(node.gpuFabric, readWord(*kind, kGpuFabricKinds));
    FABRICAST_ASSIGN(node.gpuFabricName, readFabricName(*fabric, "fabric", profile));
    FABRICAST_ASSIGN(node.gpuSwitches, fabric->integerOr("switches", 0, {0, kMostSwitches}));
    FABRICAST_ASSIGN(node.inSwitchReduction, fabric->booleanOr("in_switch_reduction", false));
    FABRICAST_ASSIGN(node.gpuFabricNote, fabric->textOr("note", ""));
    // Cards on PCIe are not a domain; a board is one by default.
    const std::int64_t usual = node.gpuFabric == "pcie" ? 1 : node.gpus;
    FABRICAST_ASSIGN(node.domainGpus, root.integerOr("domain_gpus", usual, {1, kMostGpusPerNode}));
    return {};
}

Result<void> readNodePcie(const JsonValue& root, NodeProfile& profile) {
    PciTopology& pci = profile.node.pci;
    FABRICAST_ASSIGN(const JsonValue* const pcie, root.require("pcie"));
    FABRICAST_TRY(pcie->onlyKeys(kNodePcieKeys));
    FABRICAST_ASSIGN(pci.numaNodes, requireSourced<std::int64_t>(*pcie, "numa_nodes"));
    FABRICAST_ASSIGN(pci.rootComplexes, requireSourced<std::int64_t>(*pcie, "root_complexes"));
    FABRICAST_ASSIGN(pci.gpusPerSwitch, readSourcedOr<std::int64_t>(*pcie, "gpus_per_switch"));
    FABRICAST_ASSIGN(pci.peerBandwidth, readSourcedOr<BytesPerSecond>(*pcie, "peer_bandwidth"));
    FABRICAST_ASSIGN(pci.crossSocketBandwidth,
                     readSourcedOr<BytesPerSecond>(*pcie, "cross_socket_bandwidth"));
    FABRICAST_ASSIGN(pci.socketLink, readSourcedOr<BytesPerSecond>(*pcie, "socket_link"));
    FABRICAST_ASSIGN(pci.hostBandwidth, readSourcedOr<BytesPerSecond>(*pcie, "host_bandwidth"));
    FABRICAST_ASSIGN(pci.ringBusBandwidth,
                     readSourcedOr<BytesPerSecond>(*pcie, "ring_bus_bandwidth"));
    FABRICAST_ASSIGN(pci.peerLatency, readSourcedOr<Seconds>(*pcie, "peer_latency"));
    FABRICAST_ASSIGN(pci.hostLink, readFabricName(*pcie, "host_link", profile));
    return {};
}

Result<void> readNics(const JsonValue& root, NodeProfile& profile) {
    FABRICAST_ASSIGN(const JsonValue* const nics, root.require("nics"));
    FABRICAST_TRY(nics->onlyKeys(kNicKeys));
    FABRICAST_ASSIGN(profile.node.nics, requireSourced<std::int64_t>(*nics, "count"));
    if (profile.node.nics.value.value_or(0) > kMostGpusPerNode) {
        return tl::unexpected(nics->find("count")->problem(
            "is more than " + std::to_string(kMostGpusPerNode), "NICs of one node: 8"));
    }
    FABRICAST_ASSIGN(profile.node.nicBandwidth, requireSourced<BytesPerSecond>(*nics, "bandwidth"));
    constexpr double kMostOfNic = 1e13;  // bytes/s, a hundred times what there is
    if (const auto& rate = profile.node.nicBandwidth.value; rate && rate->count() > kMostOfNic) {
        return tl::unexpected(
            nics->find("bandwidth")
                ->problem("is more than 80 Tbps", "the rate of one NIC: \"400 Gbps\""));
    }
    FABRICAST_ASSIGN(profile.node.nicFabric, readFabricName(*nics, "fabric", profile));
    return {};
}

Result<void> readHost(const JsonValue& root, NodeSpec& node) {
    FABRICAST_ASSIGN(node.cpu, root.textOr("cpu", ""));
    FABRICAST_ASSIGN(node.hostMemory, readSourcedOr<Bytes>(root, "host_memory"));
    FABRICAST_ASSIGN(node.hostMemoryBandwidth,
                     readSourcedOr<BytesPerSecond>(root, "host_memory_bandwidth"));
    FABRICAST_ASSIGN(node.nvme, readSourcedOr<Bytes>(root, "nvme"));
    FABRICAST_ASSIGN(node.power, readSourcedOr<Watts>(root, "power"));
    FABRICAST_ASSIGN(node.notes, root.textOr("notes", ""));
    return {};
}

}  // namespace

Result<NodeProfile> readNodeProfile(const JsonValue& root) {
    FABRICAST_TRY(root.onlyKeys(kNodeKeys));
    FABRICAST_ASSIGN(const ProfileHeader header, readHeader(root, "node"));
    FABRICAST_TRY(checkNodeComplete(root));
    NodeProfile profile;
    profile.node.name = header.name;
    profile.node.title = header.title;
    FABRICAST_ASSIGN(const JsonValue* const gpu, root.require("gpu"));
    FABRICAST_ASSIGN(profile.gpu, readReference(*gpu));
    FABRICAST_ASSIGN(const JsonValue* const gpus, root.require("gpus"));
    FABRICAST_ASSIGN(profile.node.gpus, gpus->integer({1, kMostGpusPerNode}));
    FABRICAST_TRY(readGpuFabric(root, profile));
    FABRICAST_TRY(readNodePcie(root, profile));
    FABRICAST_TRY(readNics(root, profile));
    FABRICAST_TRY(readHost(root, profile.node));
    return profile;
}

}  // namespace fabricast
