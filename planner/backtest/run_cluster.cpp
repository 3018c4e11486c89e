#include "planner/backtest/run_catalog.h"
#include "planner/backtest/run_readings.h"
#include "planner/evidence/correct_machine.h"
#include "planner/models/model_file.h"
#include "planner/profiles/read_profile.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

namespace fabricast {

namespace {

constexpr double kBitsPerByte = 8.0;

/// The node that most people mean by a GPU: its maker's own, then the reference board, then any.
int preference(const NodeSpec& node) {
    const std::string_view name = node.name;
    if (name.starts_with("dgx") || name.ends_with("tray")) {
        return 0;
    }
    return name.starts_with("hgx") || name.starts_with("mi") ? 1 : 3;
}

/// Fabrics that a source names, by how our fabrics' names begin.
constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kNetworks = {
    {{"efa", "efa"}, {"omni-path", "omni-path"}, {"roce", "roce"}}};

bool speaks(const NodeSpec& node, const PublishedRun& run) {
    for (const auto& [written, fabric] : kNetworks) {
        if (mentions(run.interconnect, written)) {
            return node.nicFabric.starts_with(fabric);
        }
    }
    return false;
}

/// A run on part of a node, or with more GPUs per node than the profile: the same links, that many
/// GPUs.
void resize(NodeSpec& node, std::int64_t gpus) {
    if (node.gpus == gpus) {
        return;
    }
    if (node.nics.value && node.gpus > 0) {
        node.nics.value = std::max<std::int64_t>(1, *node.nics.value * gpus / node.gpus);
    }
    node.domainGpus = node.domainGpus > node.gpus ? node.domainGpus : gpus;
    node.gpus = gpus;
}

/// NICs that give every GPU this rate: as many as the node's own make it up with where one serves
/// several GPUs, else one to a GPU.
void shareNics(NodeSpec& node, BytesPerSecond perGpu) {
    const auto gpus = static_cast<double>(node.gpus);
    const double own = node.nicBandwidth.value.value_or(perGpu).count();
    const double count = perGpu.count() * gpus / own;
    const bool whole = std::abs(count - std::round(count)) < 1e-6;
    if (own > perGpu.count() && whole && count >= 1.0) {
        node.nics.value = std::llround(count);
        return;
    }
    node.nics.value = node.gpus;
    node.nicBandwidth.value = perGpu;
}

/// What turns the one correction into the other.
MachineFactors over(MachineFactors wanted, const MachineFactors& present) {
    for (std::size_t i = 0; i < kMachineFactors; ++i) {
        wanted.speeds[i] /= present.speeds[i];
    }
    return wanted;
}

}  // namespace

Result<RunCatalog> RunCatalog::open(const ProfileStore& profiles) {
    RunCatalog catalog(profiles);
    for (const ProfileFile& file : profiles.files(ProfileKind::Model)) {
        FABRICAST_ASSIGN(const ModelProfile profile, parseModelProfile(file.text, file.source));
        catalog.models_.push_back(profile.model);
    }
    for (const ProfileFile& file : profiles.files(ProfileKind::Node)) {
        FABRICAST_ASSIGN(NodeSpec node, profiles.node(file.name));
        catalog.nodes_.push_back(std::move(node));
    }
    std::stable_sort(
        catalog.nodes_.begin(), catalog.nodes_.end(), [](const NodeSpec& a, const NodeSpec& b) {
            return preference(a) < preference(b);
        });
    return catalog;
}

Result<ClusterSpec> RunCatalog::clusterOf(const PublishedRun& run) const {
    if (run.gpus.value_or(0) <= 0) {
        return fail(Error::Code::BadInput, "gpus", "the cell is empty");
    }
    FABRICAST_ASSIGN(const GpuSpec gpu, profiles_->gpu(run.gpu, "gpu"));
    const std::int64_t perNode =
        std::min(*run.gpus, std::max<std::int64_t>(1, run.gpusPerNode.value_or(8)));
    if (*run.gpus % perNode != 0) {
        return fail(Error::Code::BadInput,
                    "gpus_per_node",
                    std::to_string(*run.gpus) + " GPUs are no whole number of nodes of " +
                        std::to_string(perNode));
    }
    const auto sameGpu = [&](const NodeSpec& node) { return node.gpu.name == gpu.name; };
    auto found = std::find_if(nodes_.begin(), nodes_.end(), [&](const NodeSpec& node) {
        return sameGpu(node) && speaks(node, run);
    });
    if (found == nodes_.end()) {
        found = std::find_if(nodes_.begin(), nodes_.end(), sameGpu);
    }
    ClusterSpec cluster;
    if (found == nodes_.end()) {
        FABRICAST_ASSIGN(cluster, profiles_->clusterFrom(gpu.name, perNode));
    } else {
        FABRICAST_ASSIGN(cluster, profiles_->cluster(found->name));
    }
    resize(cluster.node, perNode);
    cluster.nodes = *run.gpus / perNode;
    if (run.nicGbpsPerGpu) {
        shareNics(cluster.node, BytesPerSecond(*run.nicGbpsPerGpu * 1e9 / kBitsPerByte));
    }
    const auto own = own_.find(gpu.name);
    if (factors_ || own != own_.end()) {
        const OwnSpeed wanted = own != own_.end() ? own->second : OwnSpeed{.factors = *factors_};
        correctNode(cluster.node, over(wanted.factors, cluster.node.own.factors));
        cluster.node.own = wanted;
    }
    return cluster;
}

std::string RunCatalog::gpuName(const PublishedRun& run) const {
    const Result<ProfileFile> file = profiles_->find(ProfileKind::Gpu, run.gpu);
    return file ? file->name : run.gpu;
}

RunCatalog RunCatalog::corrected(std::map<std::string, OwnSpeed> own) const {
    RunCatalog other = *this;
    other.own_ = std::move(own);
    return other;
}

RunCatalog RunCatalog::corrected(const MachineFactors& factors) const {
    RunCatalog other = *this;
    other.factors_ = factors;
    return other;
}

}  // namespace fabricast
