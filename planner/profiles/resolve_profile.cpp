#include "planner/evidence/correct_machine.h"
#include "planner/profiles/model_spelling.h"
#include "planner/profiles/profile_store.h"
#include "planner/profiles/read_profile.h"

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
    fabric.title = "the network is not known";
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

/// Up to so many are joined without switches.
constexpr std::int64_t kMostDirect = 4;

/// Of a name that is tried without it, with its dash: a shorter one may be a size.
constexpr std::size_t kLongWord = 5;

/// "Llama-3.1-8B" of "Llama-3.1-8B-Instruc"; empty where it is one word.
std::string_view withoutLastWord(std::string_view name) {
    const std::size_t end = name.find_last_of("-_ ");
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end);
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
    return parsed(file, [&](const JsonValue& root) { return gpuOf(root, file.name); });
}

Result<GpuSpec> ProfileStore::gpuOf(const JsonValue& root, const std::string& name) const {
    FABRICAST_ASSIGN(GpuSpec gpu, readGpuProfile(root));
    FABRICAST_ASSIGN(gpu.kernels, kernelsOf(gpu));
    FABRICAST_ASSIGN(gpu.runtime, runtimeOf(name));
    if (gpu.kernels) {
        FABRICAST_ASSIGN(const OwnSpeed own, ownSpeedOf(name));
        correctKernels(*gpu.kernels, own.factors);
    }
    return gpu;
}

Result<FabricSpec> ProfileStore::fabric(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile file, find(ProfileKind::Fabric, name, where));
    return parsed(file, [this](const JsonValue& root) { return fabricOf(root); });
}

Result<FabricSpec> ProfileStore::fabricOf(const JsonValue& root) const {
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
    return parsed(file, [this](const JsonValue& root) { return nodeOf(root); });
}

Result<NodeSpec> ProfileStore::nodeOf(const JsonValue& root) const {
    FABRICAST_ASSIGN(NodeProfile profile, readNodeProfile(root));
    for (const ProfileReference& fabric : profile.fabrics) {
        FABRICAST_TRY(find(ProfileKind::Fabric, fabric.name, fabric.where));
    }
    FABRICAST_ASSIGN(profile.node.gpu, gpu(profile.gpu.name, profile.gpu.where));
    FABRICAST_ASSIGN(profile.node.own, ownSpeedOf(profile.node.gpu.name));
    return withPower(std::move(profile.node));
}

Result<ClusterSpec> ProfileStore::cluster(std::string_view name, std::string_view where) const {
    constexpr std::array kEither = {ProfileKind::Cluster, ProfileKind::Node};
    for (const ProfileKind kind : kEither) {
        FABRICAST_ASSIGN(const ProfileFile* const file, lookUp(kind, name));
        if (file != nullptr) {
            return parsed(*file, [this](const JsonValue& root) { return clusterOf(root); });
        }
    }
    FABRICAST_ASSIGN(Error error, notFound(kEither, name, where));
    return tl::unexpected(std::move(error));
}

Result<ClusterSpec> ProfileStore::clusterIn(std::string_view text,
                                            const std::string& source) const {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    return clusterOf(root);
}

Result<ClusterSpec> ProfileStore::clusterOf(const JsonValue& root) const {
    const JsonValue* schema = root.find("schema");
    if (schema != nullptr && schema->text() == "fabricast.node/1") {
        FABRICAST_ASSIGN(NodeSpec node, nodeOf(root));
        return oneNode(std::move(node));
    }
    FABRICAST_ASSIGN(const ClusterProfile profile, readClusterProfile(root));
    FABRICAST_ASSIGN(NodeSpec box, node(profile.node.name, profile.node.where));
    FABRICAST_ASSIGN(ClusterSpec cluster, oneNode(std::move(box)));
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

Result<ClusterSpec> ProfileStore::oneNode(NodeSpec node) const {
    ClusterSpec cluster;
    cluster.name = node.name;
    cluster.title = node.title;
    cluster.fabric = noFabric();
    if (!node.nicFabric.empty()) {
        FABRICAST_ASSIGN(cluster.fabric, fabric(node.nicFabric));
    }
    cluster.node = std::move(node);
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
    NodeSpec box;
    box.name = std::to_string(gpusPerNode) + "x-" + card.name;
    box.title = std::to_string(gpusPerNode) + "x " + card.title;
    box.gpus = gpusPerNode;
    box.domainGpus = usualDomain(card, gpusPerNode);
    box.gpuFabric = usualGpuFabric(card.linkKind);
    box.gpuFabricName = card.linkFabric;
    if (box.gpuFabric == "nvswitch" && gpusPerNode > kMostDirect) {
        FABRICAST_ASSIGN(const FabricSpec links, fabric(card.linkFabric));
        box.inSwitchReduction = links.inSwitchBusBandwidth.value.has_value();
    }
    FABRICAST_ASSIGN(box.own, ownSpeedOf(card.name));
    box.gpu = std::move(card);
    FABRICAST_ASSIGN(ClusterSpec cluster, oneNode(withPower(std::move(box))));
    cluster.isBuilt = true;
    return cluster;
}

Result<ProfileFile> ProfileStore::model(std::string_view name, std::string_view where) const {
    FABRICAST_ASSIGN(const ProfileFile* file, lookUp(ProfileKind::Model, name));
    if (file == nullptr) {
        FABRICAST_ASSIGN(file, lookUpSpelling(name));
    }
    if (file != nullptr) {
        return *file;
    }
    Result<ProfileFile> found = find(ProfileKind::Model, name, where);
    // Of "Llama-3.1-8B-Instruc" the last word is wrong, not the size of the model.
    for (std::string_view shorter = withoutLastWord(name); !found && !shorter.empty();
         shorter = withoutLastWord(shorter)) {
        FABRICAST_ASSIGN(file, lookUpSpelling(shorter));
        if (file != nullptr && name.size() - shorter.size() >= kLongWord) {
            found.error().hint = "did you mean \"" + file->name + "\"?";
            break;
        }
    }
    if (!found) {
        std::string& hint = found.error().hint;
        hint += hint.ends_with('?') ? " Else give its config.json" : ", or give its config.json";
    }
    return found;
}

Result<const ProfileFile*> ProfileStore::lookUpSpelling(std::string_view name) const {
    const std::string wanted = modelStem(name);
    if (wanted.empty()) {
        return nullptr;
    }
    const std::span<const ProfileFile> all = files(ProfileKind::Model);
    const auto same = std::ranges::find(
        all, wanted, [](const ProfileFile& file) { return modelStem(file.name); });
    if (same != all.end()) {
        return &*same;
    }
    FABRICAST_ASSIGN(const std::vector<Alias> known, aliases(ProfileKind::Model));
    const auto alias =
        std::ranges::find(known, wanted, [](const Alias& one) { return modelStem(one.name); });
    return alias == known.end() ? nullptr : &all[alias->file];
}

}  // namespace fabricast
