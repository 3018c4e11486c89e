#include "planner/memory/nccl_groups.h"

#include "planner/spec/one_site.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <string_view>

namespace fabricast {
namespace {

/// Two for each link, up to this; other numbers are in hardware_profiles/runtimes.
constexpr std::int64_t kUsualChannels = 24;
/// The largest box of one board; what is larger is a rack of trays.
constexpr std::int64_t kLargestBox = 16;
constexpr std::int64_t kTrayGpus = 4;

bool joinsAll(const NodeSpec& node) {
    return node.gpuFabric == "nvswitch" || node.gpuFabric == "nvlink-mesh" ||
           node.gpuFabric == "xgmi";
}

/// GPUs that NCCL treats as one node. A job that does not fill racks of 72 takes 64 of each.
std::int64_t ncclNodeGpus(const NodeSpec& node, std::int64_t world) {
    const std::int64_t gpus = std::max<std::int64_t>(1, node.gpus);
    const std::int64_t island =
        node.gpuFabric == "nvswitch" ? std::max(node.domainGpus, gpus) : gpus;
    if (island <= kLargestBox || world <= island || world % island == 0) {
        return island;
    }
    const auto even = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(island)));
    return world % even == 0 ? even : island;
}

std::int64_t linksOf(const GpuSpec& gpu) {
    constexpr double kLinkRate = 25e9;
    if (gpu.links > 0 || !gpu.linkBandwidth.value) {
        return gpu.links;
    }
    return static_cast<std::int64_t>(gpu.linkBandwidth.value->count() / kLinkRate);
}

/// NVLS_NCHANNELS_SM90, and of Blackwell within one NVLink domain and over several.
std::int64_t nvlsChannelsOf(const NodeSpec& node, std::int64_t nodes) {
    constexpr std::int64_t kHopper = 16;
    constexpr std::int64_t kBlackwell = 24;
    constexpr std::int64_t kBlackwellOverNodes = 32;
    if (!node.inSwitchReduction) {
        return 0;
    }
    if (node.gpu.architecture.starts_with("sm_9")) {
        return kHopper;
    }
    return nodes > 1 ? kBlackwellOverNodes : kBlackwell;
}

/// Ranks that lie `stride` apart.
struct Spread {
    std::int64_t ranks = 1;
    std::int64_t stride = 1;
};

NcclLink linkOf(const NodeSpec& node, const Spread& spread, std::int64_t perNode) {
    const bool bridged = node.gpuFabric == "nvlink-bridge" && node.domainGpus > 1 &&
                         perNode * spread.stride <= node.domainGpus;
    if (linksOf(node.gpu) > 0 && (joinsAll(node) || bridged)) {
        return NcclLink::NvLink;
    }
    return node.gpu.peerToPeer.value.value_or(true) ? NcclLink::Pci : NcclLink::Host;
}

NcclGroup groupOf(std::string_view name,
                  const ClusterSpec& cluster,
                  const Spread& spread,
                  std::int64_t world) {
    const NodeSpec& node = cluster.node;
    const std::int64_t island = ncclNodeGpus(node, world);
    NcclGroup group{.name = name, .ranks = spread.ranks};
    group.perNode = std::clamp<std::int64_t>(island / spread.stride, 1, spread.ranks);
    group.nodes = (spread.ranks + group.perNode - 1) / group.perNode;
    const std::int64_t gpus = std::max<std::int64_t>(1, node.gpus);
    group.boardGpus = gpus > kLargestBox ? kTrayGpus : gpus;
    group.link = linkOf(node, spread, group.perNode);
    group.reads = group.link == NcclLink::NvLink && node.gpu.architecture == "sm_80";
    group.channels =
        node.gpu.runtime.channels.value.value_or(std::min(kUsualChannels, 2 * linksOf(node.gpu)));
    const auto nics = static_cast<double>(node.nics.value.value_or(1));
    group.nics = nics * static_cast<double>(group.perNode) / static_cast<double>(gpus);
    group.gpuDirect = cluster.fabric.kind != "tcp";
    group.nvlsChannels = nvlsChannelsOf(node, group.nodes);
    return group;
}

/// Where the ranks of each axis lie, next to each other or far apart: stages farthest, whichever
/// placement, which changes no other memory.
class GroupList {
public:
    GroupList(const ClusterSpec& cluster, const Layout& layout, const Settings& settings)
        : cluster_(cluster), layout_(layout), settings_(settings) {
        constexpr std::size_t kUsual = 8;
        list_.reserve(kUsual);
    }

    void addAxes() {
        addData();
        if (NcclGroup* const tensor = add("tp", {layout_.tp, 1})) {
            tensor->allReduces = !layout_.sp;
        }
        if (NcclGroup* const stages = add("pp", {layout_.pp, layout_.tp * layout_.replicas()})) {
            stages->collectives = false;
            stages->peers = std::min<std::int64_t>(2, layout_.pp - 1);
        }
        addContext();
        addExperts();
    }

    void addRest() {
        if (layout_.world() == 1) {
            return;
        }
        const std::size_t ofAxes = list_.size();
        switch (settings_.engine) {
            case Engine::Megatron:
            case Engine::MegatronFsdp:
                addWorld("world");
                addWorld("norm");
                addEmbedding();
                break;
            case Engine::DeepSpeed:
                addWorld("world");
                break;
            default:
                if (ofAxes > 1) {
                    addWorld("world");
                }
        }
    }

    void addSites(const SitesSpec& sites) {
        NcclGroup group{.name = "sites", .ranks = sites.count, .nodes = sites.count};
        group.nics = 1.0;
        group.gpuDirect = false;
        list_.push_back({group, false});
    }

    std::vector<NcclCommunicator> take() { return std::move(list_); }

private:
    NcclGroup* add(std::string_view name, const Spread& spread) {
        if (spread.ranks <= 1) {
            return nullptr;
        }
        list_.push_back({groupOf(name, cluster_, spread, layout_.world()), true});
        return &list_.back().group;
    }

    /// Whole states are reduced on every rank, parts of them scattered.
    void addData() {
        const std::int64_t replicas = layout_.replicas();
        const bool copies = layout_.shardSize > 0 && layout_.shardSize < replicas;
        if (NcclGroup* const data = add("dp", {replicas, layout_.tp})) {
            data->allReduces = layout_.shard == Shard::None;
        }
        if (copies) {
            add("replicas", {replicas / layout_.shardSize, layout_.tp * layout_.shardSize});
        }
    }

    void addContext() {
        NcclGroup* const context = add("cp", {layout_.cp, layout_.tp});
        if (context == nullptr || layout_.cpKind == CpKind::AllGather) {
            return;
        }
        context->collectives = false;
        context->peers = layout_.cpKind == CpKind::Ring ? std::min<std::int64_t>(2, layout_.cp - 1)
                                                        : layout_.cp - 1;
    }

    void addExperts() {
        const KernelSettings& kernels = settings_.kernels;
        NcclGroup* const experts = add("ep", {layout_.ep, layout_.etp});
        if (experts != nullptr && kernels.dispatcher == Dispatcher::AllToAll) {
            experts->collectives = false;
            experts->peers = kernels.dispatchOncePerNode ? 0 : layout_.ep - 1;
        }
        if (layout_.ep * layout_.etp > 1) {
            add("expert_replicas", {layout_.expertReplicas(), layout_.ep * layout_.etp});
        }
    }

    void addWorld(std::string_view name) {
        NcclGroup group = groupOf(name, cluster_, {layout_.world(), 1}, layout_.world());
        group.large = false;
        list_.push_back({group, false});
    }

    void addEmbedding() {
        if (layout_.pp > 1) {
            const Spread ends{2, layout_.tp * layout_.replicas() * (layout_.pp - 1)};
            list_.push_back({groupOf("embedding", cluster_, ends, layout_.world()), false});
        }
    }

    const ClusterSpec& cluster_;
    const Layout& layout_;
    const Settings& settings_;
    std::vector<NcclCommunicator> list_;
};

}  // namespace

std::vector<NcclCommunicator> ncclCommunicators(const Scenario& scenario) {
    const OneSite site(scenario);
    const Scenario& own = site.scenario();
    GroupList list(own.cluster, own.layout, own.settings);
    list.addAxes();
    list.addRest();
    if (trainsApart(scenario) && scenario.settings.outer.place == OuterPlace::Gpu) {
        list.addSites(scenario.cluster.sites);
    }
    return list.take();
}

std::vector<NcclCommunicator> ncclAxes(const ClusterSpec& cluster,
                                       const Layout& layout,
                                       const Settings& settings) {
    GroupList list(cluster, layout, settings);
    list.addAxes();
    return list.take();
}

NcclGroup ncclNodeGroup(const ClusterSpec& cluster) {
    return groupOf("node", cluster, {cluster.node.gpus, 1}, cluster.node.gpus);
}

}  // namespace fabricast
