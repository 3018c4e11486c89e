#include "planner/load/find_cluster.h"

#include "planner/load/find_model.h"
#include "planner/spec/check_network.h"
#include "planner/text/text_file.h"

#include <filesystem>
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
    if (request.name == "-" && folders.standardInput) {
        return profiles.clusterIn(*folders.standardInput, sourceName(request.name));
    }
    const std::filesystem::path folder = request.typed ? folders.typed : folders.file;
    const std::string path = request.name == "-" ? request.name : (folder / request.name).string();
    FABRICAST_ASSIGN(const std::string text, readTextFile(path));
    return profiles.clusterIn(text, sourceName(path));
}

Result<ClusterSpec> namedCluster(const ClusterRequest& request,
                                 const ProfileStore& profiles,
                                 const Folders& folders) {
    if (request.name.empty() && request.gpu.empty()) {
        return fail(Error::Code::BadInput,
                    "cluster",
                    "no cluster given",
                    "-c dgx-h100, or --gpu h100-sxm5-80gb --gpus-per-node 8");
    }
    if (!request.name.empty() && !request.gpu.empty()) {
        return fail(Error::Code::BadInput,
                    request.where,
                    "a cluster is a name or a GPU, not both",
                    "leave out \"" + request.gpu + "\"");
    }
    if (!request.gpu.empty()) {
        return profiles.clusterFrom(request.gpu, request.gpusPerNode.value_or(kUsualGpusPerNode));
    }
    if (request.gpusPerNode) {
        return fail(Error::Code::BadInput,
                    request.where,
                    "the cluster \"" + request.name + "\" has its own number of GPUs per node",
                    "leave out gpus_per_node, or name a GPU");
    }
    return isPath(request.name) ? clusterFile(request, profiles, folders)
                                : profiles.cluster(request.name, request.where);
}

/// A network given instead of the cluster's own comes with NICs of its speed, as many as
/// the node has; where it has none, one for each GPU.
void useNicsOfFabric(ClusterSpec& cluster) {
    cluster.otherFabric = true;
    if (cluster.node.nics.value.value_or(0) == 0) {
        cluster.node.nics = {.value = cluster.fabric.perNode ? 1 : cluster.node.gpus};
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

/// So many GPUs in whole nodes, or the part of one node.
Result<ClusterSpec> withGpus(ClusterSpec cluster, std::int64_t gpus, const std::string& where) {
    if (gpus <= cluster.node.gpus) {
        if (std::optional<Watts>& power = cluster.node.power.value) {
            *power = *power * (static_cast<double>(gpus) / static_cast<double>(cluster.node.gpus));
        }
        cluster.nodes = 1;
        cluster.node.gpus = gpus;
        return cluster;
    }
    if (gpus % cluster.node.gpus != 0) {
        const std::int64_t below = gpus / cluster.node.gpus * cluster.node.gpus;
        return fail(
            Error::Code::BadInput,
            where,
            std::to_string(gpus) + " GPUs are not a whole number of nodes of " +
                std::to_string(cluster.node.gpus),
            std::to_string(below) + " or " + std::to_string(below + cluster.node.gpus) + " GPUs");
    }
    cluster.nodes = gpus / cluster.node.gpus;
    return cluster;
}

}  // namespace

Result<FoundCluster> findCluster(const ClusterRequest& request,
                                 const ProfileStore& profiles,
                                 const Folders& folders) {
    FoundCluster found;
    FABRICAST_ASSIGN(found.cluster, namedCluster(request, profiles, folders));
    if (!request.fabric.empty()) {
        FABRICAST_ASSIGN(found.cluster.fabric, profiles.fabric(request.fabric, request.where));
        useNicsOfFabric(found.cluster);
    }
    if (request.nodes) {
        found.cluster.nodes = *request.nodes;
        found.room.gpus = found.cluster.gpus();
    }
    found.room.gpusPerNode = found.cluster.node.gpus;
    found.room.usualGpus = found.cluster.gpus();
    if (request.gpus) {
        if (request.nodes && found.cluster.gpus() != *request.gpus) {
            return fail(Error::Code::BadInput,
                        request.where,
                        std::to_string(found.cluster.nodes) + " nodes of " +
                            std::to_string(found.cluster.node.gpus) + " are not " +
                            std::to_string(*request.gpus) + " GPUs",
                        "give nodes or gpus");
        }
        FABRICAST_ASSIGN(found.cluster,
                         withGpus(std::move(found.cluster), *request.gpus, request.where));
        found.room.gpus = request.gpus;
    }
    FABRICAST_TRY(checkNetwork(found.cluster));
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
        return std::move(found.cluster);
    }
    if (ranks > kMostGpus) {
        return fail(Error::Code::BadInput,
                    "layout",
                    std::to_string(ranks) + " ranks need more GPUs than supported",
                    "at most " + std::to_string(kMostGpus));
    }
    return withGpus(std::move(found.cluster), ranks, "layout");
}

}  // namespace fabricast
