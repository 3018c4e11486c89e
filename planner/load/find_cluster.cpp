#include "planner/load/find_named.h"
#include "planner/load/place_sites.h"
#include "planner/spec/check_settings.h"
#include "planner/text/text_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

namespace fabricast {
namespace {

constexpr std::int64_t kMostGpus = 16'777'216;
constexpr std::int64_t kUsualGpusPerNode = 8;

/// What is written as a path: a name of a profile never is.
bool isPath(const std::string& name) {
    return name == "-" || name.find('/') != std::string::npos || name.ends_with(".json");
}

Result<ClusterSpec> clusterFile(const ClusterRequest& request,
                                const ProfileStore& profiles,
                                const Folders& folders) {
    const std::string& folder = request.typed ? folders.typed : folders.file;
    FABRICAST_ASSIGN(const InputText input,
                     readInputText(pathFrom(folder, request.name), folders.known));
    return profiles.clusterIn(input.text, sourceName(input.path));
}

/// So many GPUs of each node, as jobs take 64 of the 72 of a rack: with the NICs and the power
/// of that share, and what the host has.
ClusterSpec withPartOfNodes(ClusterSpec cluster, std::int64_t taken) {
    NodeSpec& node = cluster.node;
    if (taken == node.gpus) {
        return cluster;
    }
    const double share = static_cast<double>(taken) / static_cast<double>(node.gpus);
    if (std::optional<std::int64_t>& nics = node.nics.value; nics && *nics > 0) {
        nics = std::max<std::int64_t>(1, std::llround(share * static_cast<double>(*nics)));
    }
    if (std::optional<Watts>& power = node.power.value) {
        *power = *power * share;
    }
    const std::int64_t nodesOfDomain = std::max<std::int64_t>(1, node.domainGpus / node.gpus);
    node.domainGpus =
        node.domainGpus >= node.gpus ? nodesOfDomain * taken : std::min(node.domainGpus, taken);
    node.gpus = taken;
    cluster.partOfNodes = true;
    return cluster;
}

/// "8xh100" is eight of the GPU h100, "h100" as many as a node usually has.
std::pair<std::int64_t, std::string> countedGpu(const std::string& typed) {
    std::int64_t count = 0;
    const char* end = typed.data() + typed.size();
    const auto [stop, trouble] = std::from_chars(typed.data(), end, count);
    const bool isCounted = trouble == std::errc() && stop != end && (*stop == 'x' || *stop == 'X');
    if (!isCounted || count < 1) {
        return {kUsualGpusPerNode, typed};
    }
    std::string name(stop + 1, end);
    name.erase(0, name.find_first_not_of("- "));
    return {count, std::move(name)};
}

/// Nodes of so many of a GPU. A box that is known by the name they would be printed with is that
/// one, with its network.
Result<ClusterSpec> boxOf(const std::string& gpu,
                          std::int64_t perNode,
                          const ProfileStore& profiles,
                          const std::string& where) {
    FABRICAST_ASSIGN(ClusterSpec box, profiles.clusterFrom(gpu, perNode));
    Result<ClusterSpec> known = profiles.cluster(box.node.name, where);
    return known ? known : box;
}

/// A cluster or node by its name, or a box of the GPU of that name, which is said.
Result<ClusterSpec> productOrBox(const ClusterRequest& request,
                                 const ProfileStore& profiles,
                                 FoundCluster& found) {
    Result<ClusterSpec> product = profiles.cluster(request.name, request.where);
    if (product || product.error().code != Error::Code::NotFound) {
        return product;
    }
    const auto [count, gpu] = countedGpu(request.name);
    if (gpu != request.name && profiles.cluster(gpu, request.where)) {
        product.error().hint = "-c " + gpu + " -n " + std::to_string(count);
        return product;
    }
    if (!profiles.gpu(gpu, request.where)) {
        return product;
    }
    const std::int64_t perNode = request.gpusPerNode.value_or(count);
    FABRICAST_ASSIGN(ClusterSpec box, boxOf(gpu, perNode, profiles, request.where));
    found.isNamed = false;
    found.assumed.push_back("\"" + request.name + "\" is a GPU, in a node of " +
                            std::to_string(perNode) +
                            " (-c takes a cluster or node: fabricast profiles list --kind node)");
    return box;
}

constexpr const char* kSomeCluster = "-c dgx-h100, or --gpu h100-sxm5-80gb --gpus-per-node 8";

Result<ClusterSpec> namedCluster(const ClusterRequest& request,
                                 const ProfileStore& profiles,
                                 const Folders& folders,
                                 FoundCluster& found) {
    found.isNamed = !request.name.empty();
    if (request.name.empty() && request.gpu.empty()) {
        return fail(Error::Code::BadInput, "cluster", "no cluster given", kSomeCluster);
    }
    if (!request.name.empty() && !request.gpu.empty()) {
        return fail(Error::Code::BadInput,
                    request.where,
                    "a cluster is a name or a GPU, not both",
                    "leave out \"" + request.gpu + "\"");
    }
    if (!request.gpu.empty()) {
        const std::int64_t perNode = request.gpusPerNode.value_or(kUsualGpusPerNode);
        // A network that is named brings a NIC for each GPU.
        return request.fabric.empty() ? boxOf(request.gpu, perNode, profiles, request.where)
                                      : profiles.clusterFrom(request.gpu, perNode);
    }
    FABRICAST_ASSIGN(ClusterSpec cluster,
                     isPath(request.name) ? clusterFile(request, profiles, folders)
                                          : productOrBox(request, profiles, found));
    const std::int64_t taken = request.gpusPerNode.value_or(cluster.node.gpus);
    if (taken > cluster.node.gpus) {
        return fail(Error::Code::BadInput,
                    request.where,
                    "the nodes of \"" + request.name + "\" have " +
                        std::to_string(cluster.node.gpus) + " GPUs, not " + std::to_string(taken),
                    "at most " + std::to_string(cluster.node.gpus) + ", or name a GPU");
    }
    return withPartOfNodes(std::move(cluster), taken);
}

/// A network given instead of the cluster's own comes with NICs of its speed, as many as
/// the node has; where it has none, one for each GPU. Kernel TCP goes through one NIC of a node.
void useNicsOfFabric(ClusterSpec& cluster, std::vector<std::string>& assumed) {
    cluster.otherFabric = true;
    const bool isKernelTcp = cluster.fabric.kind == "tcp" && !cluster.fabric.perNode;
    const bool oneForAll = isKernelTcp || cluster.fabric.perNode;
    const std::int64_t had = cluster.node.nics.value.value_or(0);
    if (had == 0 || (isKernelTcp && had != 1)) {
        cluster.node.nics = {.value = oneForAll ? 1 : cluster.node.gpus};
        assumed.push_back((oneForAll ? std::string("one NIC of ")
                                     : std::to_string(cluster.node.gpus) + " NICs of ") +
                          cluster.fabric.name + " a node" +
                          (oneForAll ? "" : ", one for each GPU") +
                          " (a node's own file says how many: fabricast profiles new node)");
    }
    Sourced<BytesPerSecond> rate = cluster.fabric.linkBandwidth;
    const auto nics = static_cast<double>(cluster.node.nics.value.value_or(1));
    if (rate.value && cluster.fabric.perNode && nics > 0) {
        rate.value = *rate.value * (1.0 / nics);
    }
    if (rate.value) {
        cluster.node.nicBandwidth = std::move(rate);
    }
}

/// What a node that is built of GPUs has without anybody having said so.
void addBuiltNotes(const ClusterSpec& cluster, std::vector<std::string>& assumed) {
    const NodeSpec& node = cluster.node;
    if (cluster.isBuilt && cluster.gpus() > 1 && node.gpu.linkKind == "nvlink-bridge") {
        assumed.push_back("the GPUs of " + node.name +
                          " are joined by NVLink bridges, in pairs (without them: a node's own "
                          "file, fabricast profiles new node)");
    }
    const bool isGuessed = node.nics.value && node.nics.source == Source::Assumed;
    if (cluster.nodes > 1 && isGuessed && !cluster.otherFabric) {
        assumed.push_back("network " + cluster.fabric.name + " between the nodes, as no " +
                          node.name + " comes with one (--fabric names yours)");
    }
}

/// What is said about the drives of a node comes before its own.
void useDrivesOf(const ClusterRequest& request, ClusterSpec& cluster) {
    if (request.nvme) {
        cluster.node.nvme = {.value = request.nvme};
        cluster.otherNvme = true;
    }
    if (request.nvmeRead) {
        cluster.node.nvmeRead = {.value = request.nvmeRead};
    }
    if (request.nvmeWrite) {
        cluster.node.nvmeWrite = {.value = request.nvmeWrite};
    }
}

/// Whether a node is some box with so many of a GPU in it, "8x-rtx-5090", and no product.
bool isAnyBox(const NodeSpec& node) {
    return node.name == std::to_string(node.gpus) + "x-" + node.gpu.name;
}

/// Fewer GPUs than such a box has stand in a machine of their own, of which nobody said what it
/// has.
void forgetHostOfBox(ClusterSpec& cluster) {
    NodeSpec& node = cluster.node;
    if (!cluster.otherHostMemory) {
        node.hostMemory = {};
        node.hostMemoryBandwidth = {};
    }
    if (!cluster.otherNvme) {
        node.nvme = {};
    }
}

/// That machine has as many sockets as so many GPUs take in the box. A part of a board of them is a
/// share of its server.
void leaveSocketsOf(std::int64_t gpus, NodeSpec& node) {
    constexpr std::int64_t kUsualSockets = 2;
    const std::int64_t sockets =
        std::max<std::int64_t>(1, node.pci.numaNodes.value.value_or(kUsualSockets));
    const std::int64_t ofSocket = std::max<std::int64_t>(1, node.gpus / sockets);
    const std::int64_t taken = (gpus + ofSocket - 1) / ofSocket;
    const bool isInSlots = node.gpuFabric == "pcie" || node.gpuFabric == "nvlink-bridge";
    if (isInSlots && taken < sockets) {
        node.pci.numaNodes.value = taken;
        node.pci.numaNodes.source = Source::Assumed;
    }
}

/// So many GPUs in whole nodes, or the part of one node.
Result<ClusterSpec> withGpus(FoundCluster found, std::int64_t gpus, const std::string& where) {
    ClusterSpec& cluster = found.cluster;
    if (gpus <= cluster.node.gpus) {
        if (gpus < cluster.node.gpus && isAnyBox(cluster.node)) {
            forgetHostOfBox(cluster);
            if (!found.isNamed) {
                leaveSocketsOf(gpus, cluster.node);
            }
        }
        if (std::optional<Watts>& power = cluster.node.power.value) {
            *power = *power * (static_cast<double>(gpus) / static_cast<double>(cluster.node.gpus));
        }
        cluster.nodes = 1;
        cluster.node.gpus = gpus;
        return std::move(cluster);
    }
    if (gpus % cluster.node.gpus != 0) {
        const std::int64_t below = gpus / cluster.node.gpus * cluster.node.gpus;
        return fail(Error::Code::BadInput,
                    where,
                    std::to_string(gpus) + " GPUs are not a whole number of nodes of " +
                        std::to_string(cluster.node.gpus),
                    std::to_string(below) + " or " + std::to_string(below + cluster.node.gpus) +
                        " GPUs, or fewer of each node with --gpus-per-node");
    }
    cluster.nodes = gpus / cluster.node.gpus;
    return std::move(cluster);
}

/// Links inside a node join no nodes.
constexpr std::array<std::string_view, 5> kInsideNode = {"nvlink", "nvls", "xgmi", "pcie", "c2c"};

Result<FabricSpec> networkOf(const ClusterRequest& request, const ProfileStore& profiles) {
    const std::string where = !request.fabricWhere.empty() ? request.fabricWhere
                              : request.typed              ? "--fabric"
                                                           : request.where;
    FABRICAST_ASSIGN(FabricSpec fabric, profiles.fabric(request.fabric, where));
    if (std::ranges::find(kInsideNode, fabric.kind) != kInsideNode.end()) {
        return fail(Error::Code::BadInput,
                    where,
                    "\"" + fabric.name + "\" is a link inside a node, and no network between nodes",
                    "ib-ndr, roce-400 or another of: fabricast profiles list --kind fabric");
    }
    if (fabric.kind == "wan") {
        return fail(Error::Code::BadInput,
                    where,
                    "\"" + fabric.name + "\" joins sites, and no nodes of one",
                    "--sites 2 --wan 100Gbps");
    }
    return fabric;
}

}  // namespace

Result<FoundCluster> findCluster(const ClusterRequest& request,
                                 const ProfileStore& profiles,
                                 const Folders& folders) {
    FoundCluster found;
    FABRICAST_ASSIGN(found.cluster, namedCluster(request, profiles, folders, found));
    if (!request.fabric.empty()) {
        FABRICAST_ASSIGN(found.cluster.fabric, networkOf(request, profiles));
        useNicsOfFabric(found.cluster, found.assumed);
    }
    found.cluster.reserve = request.reserve;
    if (request.hostMemory) {
        found.cluster.node.hostMemory = {.value = request.hostMemory};
        found.cluster.otherHostMemory = true;
    }
    useDrivesOf(request, found.cluster);
    FABRICAST_TRY(placeSites(request, profiles, found.cluster, found.assumed));
    if (request.nodes) {
        found.cluster.nodes = *request.nodes;
        found.room.gpus = found.cluster.gpus();
        found.room.gpusWhere = request.nodesWhere;
    }
    found.room.gpusPerNode = found.cluster.node.gpus;
    found.room.usualGpus = found.cluster.gpus();
    if (request.gpus) {
        if (request.nodes && found.cluster.gpus() != *request.gpus) {
            return fail(Error::Code::BadInput,
                        request.gpusWhere,
                        std::to_string(found.cluster.nodes) + " nodes of " +
                            std::to_string(found.cluster.node.gpus) + " are not " +
                            std::to_string(*request.gpus) + " GPUs",
                        "give nodes or gpus");
        }
        FABRICAST_ASSIGN(found.cluster, withGpus(found, *request.gpus, request.gpusWhere));
        found.room.gpus = request.gpus;
        found.room.gpusWhere = request.gpusWhere;
    }
    addBuiltNotes(found.cluster, found.assumed);
    FABRICAST_TRY(checkJoined(found.cluster, profiles));
    if (found.room.gpus.value_or(0) > kMostGpus) {
        return fail(Error::Code::BadInput,
                    request.where,
                    std::to_string(*found.room.gpus) + " GPUs are more than supported",
                    "at most " + std::to_string(kMostGpus));
    }
    return found;
}

Result<ClusterSpec> withRanks(FoundCluster found, std::int64_t ranks) {
    if (found.room.gpus) {
        FABRICAST_TRY(checkSites(found.cluster));
        return std::move(found.cluster);
    }
    if (ranks > kMostGpus) {
        return fail(Error::Code::BadInput,
                    "layout",
                    std::to_string(ranks) + " ranks need more GPUs than supported",
                    "at most " + std::to_string(kMostGpus));
    }
    FABRICAST_ASSIGN(ClusterSpec cluster, withGpus(std::move(found), ranks, "layout"));
    FABRICAST_TRY(checkSites(cluster));
    return cluster;
}

namespace {

/// What a launch file says of the GPUs that it starts.
Result<std::optional<std::int64_t>> importedCount(const JsonValue& root, const char* key) {
    const JsonValue* const imported = root.find("imported");
    const JsonValue* const said = imported == nullptr ? nullptr : imported->find(key);
    if (said == nullptr) {
        return std::optional<std::int64_t>();
    }
    FABRICAST_ASSIGN(const std::int64_t count, said->integer({1, kMostGpus}));
    return std::optional(count);
}

}  // namespace

Result<std::optional<std::int64_t>> startedGpus(const JsonValue& root) {
    return importedCount(root, "gpus");
}

Result<FoundCluster> findStartedCluster(const ClusterRequest& request,
                                        const JsonValue& root,
                                        const ProfileStore& profiles,
                                        const Folders& folders) {
    if (request.name.empty() && request.gpu.empty() && root.find("imported") != nullptr) {
        return fail(Error::Code::BadInput,
                    "cluster",
                    "no cluster given: a launch file names none",
                    std::string(kSomeCluster) +
                        "; fabricast import FILE -c dgx-h100 -f json > run.json keeps it");
    }
    FABRICAST_ASSIGN(FoundCluster found, findCluster(request, profiles, folders));
    FABRICAST_ASSIGN(const std::optional<std::int64_t> perNode, importedCount(root, "per_node"));
    const std::int64_t all = found.cluster.node.gpus;
    const bool isSaid = request.gpusPerNode || request.nodes || request.gpus;
    if (!perNode || isSaid || *perNode >= all) {
        return found;
    }
    ClusterRequest part = request;
    part.gpusPerNode = perNode;
    FABRICAST_ASSIGN(found, findCluster(part, profiles, folders));
    found.assumed.push_back(std::to_string(*perNode) + " of the " + std::to_string(all) +
                            " GPUs of each node, as the file starts (--gpus-per-node " +
                            std::to_string(all) + " takes all)");
    return found;
}

}  // namespace fabricast
