#include "planner/io/profile_store.h"
#include "planner/io/read_profile.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

/// Nothing is known of the network: enough for memory, and for one node.
FabricSpec noFabric() {
    FabricSpec fabric;
    fabric.name = "none";
    fabric.title = "no network is known";
    fabric.kind = "none";
    return fabric;
}

/// How cards with this link sit in a box of their own.
std::string usualGpuFabric(const std::string& linkKind) {
    if (linkKind == "nvlink") {
        return "nvswitch";
    }
    return linkKind == "none" ? "pcie" : linkKind;
}

std::int64_t usualDomain(const GpuSpec& gpu, std::int64_t gpus) {
    if (gpu.linkReach == "all" || gpu.linkReach == "mesh") {
        return gpus;
    }
    constexpr std::int64_t kPair = 2;
    constexpr std::int64_t kGroup = 4;
    const std::int64_t bridged = gpu.linkReach == "pair"    ? kPair
                                 : gpu.linkReach == "group" ? kGroup
                                                            : 1;
    return std::min(bridged, gpus);
}

}  // namespace

Result<GpuSpec> ProfileStore::gpu(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Gpu, name, where));
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    return readGpuProfile(root);
}

Result<FabricSpec> ProfileStore::fabric(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Fabric, name, where));
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    FABRICAST_ASSIGN(const std::optional<ProfileReference> extends, readExtends(root));
    if (!extends) {
        return readFabricProfile(root, {});
    }
    FABRICAST_ASSIGN(const ProfileFile baseFile,
                     find(ProfileKind::Fabric, extends->name, extends->where));
    FABRICAST_ASSIGN(const JsonValue baseRoot, readDocument(baseFile));
    if (baseRoot.find("extends") != nullptr) {
        return fail(Error::Code::BadInput,
                    extends->where,
                    "\"" + extends->name + "\" extends another fabric itself",
                    "extend that one");
    }
    FABRICAST_ASSIGN(FabricSpec base, readFabricProfile(baseRoot, {}));
    return readFabricProfile(root, std::move(base));
}

Result<NodeSpec> ProfileStore::node(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Node, name, where));
    FABRICAST_ASSIGN(const JsonValue root, readDocument(file));
    FABRICAST_ASSIGN(NodeProfile profile, readNodeProfile(root));
    for (const ProfileReference& fabric : profile.fabrics) {
        FABRICAST_TRY(find(ProfileKind::Fabric, fabric.name, fabric.where));
    }
    FABRICAST_ASSIGN(profile.node.gpu, gpu(profile.gpu.name, profile.gpu.where));
    return profile.node;
}

Result<ClusterSpec> ProfileStore::cluster(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile* const file, lookUp(ProfileKind::Cluster, name));
    if (file == nullptr) {
        FABRICAST_ASSIGN(const ProfileFile* const box, lookUp(ProfileKind::Node, name));
        if (box == nullptr) {
            constexpr std::array kEither = {ProfileKind::Cluster, ProfileKind::Node};
            FABRICAST_ASSIGN(Error error, notFound(kEither, name, where));
            return tl::unexpected(std::move(error));
        }
        return clusterOfNode(box->name, where);
    }
    FABRICAST_ASSIGN(const JsonValue root, readDocument(*file));
    FABRICAST_ASSIGN(const ClusterProfile profile, readClusterProfile(root));
    FABRICAST_ASSIGN(ClusterSpec cluster, clusterOfNode(profile.node.name, profile.node.where));
    cluster.name = profile.name;
    cluster.title = profile.title;
    cluster.notes = profile.notes;
    cluster.nodes = profile.nodes;
    if (profile.fabric) {
        FABRICAST_ASSIGN(cluster.fabric, fabric(profile.fabric->name, profile.fabric->where));
    }
    cluster.fabric.topology = profile.topology.value_or(cluster.fabric.topology);
    if (profile.oversubscription.value) {
        cluster.fabric.oversubscription = profile.oversubscription;
    }
    return cluster;
}

Result<ClusterSpec> ProfileStore::clusterOfNode(std::string_view name,
                                                std::string_view where) const {
    ClusterSpec cluster;
    FABRICAST_ASSIGN(cluster.node, node(name, where));
    cluster.name = cluster.node.name;
    cluster.title = cluster.node.title;
    cluster.fabric = noFabric();
    if (!cluster.node.nicFabric.empty()) {
        FABRICAST_ASSIGN(cluster.fabric, fabric(cluster.node.nicFabric));
    }
    return cluster;
}

Result<ClusterSpec> ProfileStore::clusterFrom(std::string_view gpuName,
                                              std::int64_t gpusPerNode) const {
    FABRICAST_ASSIGN(GpuSpec card, gpu(gpuName, "--gpu"));
    if (gpusPerNode < 1 || gpusPerNode > kMostGpusPerNode) {
        return fail(Error::Code::BadInput,
                    "--gpus-per-node",
                    "must be from 1 to " + std::to_string(kMostGpusPerNode) + ", not " +
                        std::to_string(gpusPerNode),
                    "--gpus-per-node 8");
    }
    ClusterSpec cluster;
    cluster.node.name = std::to_string(gpusPerNode) + "x-" + card.name;
    cluster.node.title = std::to_string(gpusPerNode) + "x " + card.title;
    cluster.node.gpus = gpusPerNode;
    cluster.node.domainGpus = usualDomain(card, gpusPerNode);
    cluster.node.gpuFabric = usualGpuFabric(card.linkKind);
    cluster.node.gpuFabricName = card.linkFabric;
    cluster.node.gpu = std::move(card);
    cluster.name = cluster.node.name;
    cluster.title = cluster.node.title;
    cluster.fabric = noFabric();
    return cluster;
}

Result<ProfileFile> ProfileStore::model(std::string_view name, std::string_view where) const {
    return find(ProfileKind::Model, name, where);
}

}  // namespace fabricast
