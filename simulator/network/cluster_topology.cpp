#include "simulator/network/cluster_topology.h"

#include "planner/spec/check_settings.h"
#include "simulator/network/fabric_plan.h"
#include "simulator/network/node_devices.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace fabricast {
namespace {

std::int32_t cablesOf(double count) {
    return static_cast<std::int32_t>(std::clamp(std::round(count), 1.0, 1e6));
}

/// One site: its nodes and its fabric.
class Site {
public:
    Site(const ClusterSpec& cluster, const std::optional<FabricPlan>& plan, std::string prefix)
        : cluster_(cluster), plan_(plan), prefix_(std::move(prefix)) {}

    Result<void> build(NodeDevices& devices, std::int32_t firstNode, TopologyBuilder& builder) {
        FABRICAST_TRY(addNodes(devices, firstNode, builder));
        FABRICAST_TRY(addDomains(builder));
        return plan_ ? addFabric(builder) : Result<void>();
    }

    /// The switches that nothing is above of.
    [[nodiscard]] const std::vector<DeviceIndex>& top() const {
        return !cores_.empty() ? cores_ : (!spines_.empty() ? spines_ : leaves_);
    }

private:
    Result<void> addNodes(NodeDevices& devices, std::int32_t first, TopologyBuilder& builder) {
        const std::size_t devicesBefore = builder.deviceCount();
        const std::size_t linksBefore = builder.linkCount();
        for (std::int64_t node = 0; node < cluster_.nodes; ++node) {
            FABRICAST_ASSIGN(NodePorts ports,
                             devices.add(prefix_ + "node" + std::to_string(node),
                                         first + static_cast<std::int32_t>(node),
                                         builder));
            ports_.push_back(std::move(ports));
            if (node == 0) {  // the others are like it, and a few switches come behind them
                const auto nodes = static_cast<std::size_t>(cluster_.nodes) + 1;
                builder.expect(devicesBefore + nodes * (builder.deviceCount() - devicesBefore),
                               linksBefore + nodes * (builder.linkCount() - linksBefore));
            }
        }
        return {};
    }

    Result<DeviceIndex> add(TopologyBuilder& builder, DeviceKind kind, std::size_t number) const {
        return builder.add(
            {.name = prefix_ + std::string(deviceKindName(kind)) + std::to_string(number),
             .kind = kind,
             .slot = static_cast<std::int32_t>(number)});
    }

    /// NVSwitches that several nodes share.
    Result<void> addDomains(TopologyBuilder& builder) const {
        const NodeSpec& node = cluster_.node;
        if (node.gpuFabric != "nvswitch" || node.domainGpus <= node.gpus ||
            !node.gpu.linkBandwidth.value) {
            return {};
        }
        const std::int64_t switches = switchCount(node);
        const auto perDomain = static_cast<std::size_t>(node.domainGpus / node.gpus);
        const BytesPerSecond rate =
            *node.gpu.linkBandwidth.value * (1.0 / static_cast<double>(switches));
        for (std::size_t first = 0; first < ports_.size(); first += perDomain) {
            const std::string domain =
                prefix_ + "domain" + std::to_string(first / perDomain) + "/nvswitch";
            for (std::int64_t plane = 0; plane < switches; ++plane) {
                FABRICAST_ASSIGN(const DeviceIndex made,
                                 builder.add({.name = domain + std::to_string(plane),
                                              .kind = DeviceKind::NvSwitch,
                                              .slot = static_cast<std::int32_t>(plane)}));
                FABRICAST_TRY(joinDomain(made, first, perDomain, rate, builder));
            }
        }
        return {};
    }

    Result<void> joinDomain(DeviceIndex plane,
                            std::size_t first,
                            std::size_t nodes,
                            BytesPerSecond rate,
                            TopologyBuilder& builder) const {
        const std::size_t end = std::min(ports_.size(), first + nodes);
        for (std::size_t node = first; node < end; ++node) {
            for (const DeviceIndex gpu : ports_[node].gpus) {
                FABRICAST_TRY(builder.join(
                    {.from = gpu, .to = plane, .kind = LinkKind::NvLink, .bandwidth = rate}));
            }
        }
        return {};
    }

    Result<void> addFabric(TopologyBuilder& builder) {
        for (std::int64_t leaf = 0; leaf < plan_->leaves(); ++leaf) {
            FABRICAST_ASSIGN(const DeviceIndex made,
                             add(builder, DeviceKind::Leaf, leaves_.size()));
            leaves_.push_back(made);
        }
        for (std::size_t node = 0; node < ports_.size(); ++node) {
            for (std::size_t nic = 0; nic < ports_[node].nics.size(); ++nic) {
                const auto leaf = static_cast<std::size_t>(
                    plan_->leafOf(static_cast<std::int64_t>(node), static_cast<std::int64_t>(nic)));
                // Half of the latency at either end: a route has it once.
                FABRICAST_TRY(builder.join({.from = ports_[node].nics[nic],
                                            .to = leaves_[leaf],
                                            .kind = LinkKind::Network,
                                            .bandwidth = plan_->nicRate,
                                            .latency = plan_->latency * 0.5}));
            }
        }
        FABRICAST_TRY(addSpines(builder));
        return addCores(builder);
    }

    Result<void> addSpines(TopologyBuilder& builder) {
        const auto perPod = static_cast<std::size_t>(plan_->leavesPerPod());
        const double cables = plan_->leafUp / static_cast<double>(plan_->spinesPerPod);
        for (std::size_t first = 0; plan_->spinesPerPod > 0 && first < leaves_.size();
             first += perPod) {
            for (std::int64_t spine = 0; spine < plan_->spinesPerPod; ++spine) {
                FABRICAST_ASSIGN(const DeviceIndex made,
                                 add(builder, DeviceKind::Spine, spines_.size()));
                spines_.push_back(made);
                for (std::size_t leaf = first; leaf < std::min(leaves_.size(), first + perPod);
                     ++leaf) {
                    FABRICAST_TRY(builder.join({.from = leaves_[leaf],
                                                .to = made,
                                                .bandwidth = plan_->nicRate * cables,
                                                .cables = cablesOf(cables)}));
                }
            }
        }
        return {};
    }

    Result<void> addCores(TopologyBuilder& builder) {
        const auto planes = static_cast<std::size_t>(plan_->spinesPerPod);
        const auto perPlane = static_cast<std::size_t>(plan_->coresPerPlane);
        const double cables = plan_->spineUp / static_cast<double>(perPlane);
        for (std::size_t core = 0; core < planes * perPlane; ++core) {
            FABRICAST_ASSIGN(const DeviceIndex made, add(builder, DeviceKind::Core, core));
            cores_.push_back(made);
            for (std::size_t spine = core / perPlane; spine < spines_.size(); spine += planes) {
                FABRICAST_TRY(builder.join({.from = spines_[spine],
                                            .to = made,
                                            .bandwidth = plan_->nicRate * cables,
                                            .cables = cablesOf(cables)}));
            }
        }
        return {};
    }

    const ClusterSpec& cluster_;
    const std::optional<FabricPlan>& plan_;
    std::string prefix_;
    std::vector<NodePorts> ports_;
    std::vector<DeviceIndex> leaves_;
    std::vector<DeviceIndex> spines_;
    std::vector<DeviceIndex> cores_;
};

Result<void> check(const ClusterSpec& cluster,
                   const TopologyOptions& options,
                   const std::optional<FabricPlan>& plan) {
    FABRICAST_TRY(checkGraphSize(cluster, options));
    if (!plan && options.wan.sites > 1) {
        return fail(Error::Code::BadInput,
                    "cluster",
                    "several sites, but \"" + cluster.node.name + "\" has no NICs or no network",
                    "another network with --fabric");
    }
    return checkNetwork(cluster);
}

/// A site's way out: shared by its top switches, and each as fast as all that go there.
Result<void> joinWan(const std::vector<DeviceIndex>& top,
                     const WanTier& wan,
                     DeviceIndex middle,
                     TopologyBuilder& builder) {
    const BytesPerSecond each = wan.bandwidth * (1.0 / static_cast<double>(top.size()));
    for (const DeviceIndex device : top) {
        FABRICAST_TRY(builder.join({.from = device,
                                    .to = middle,
                                    .kind = LinkKind::Wan,
                                    .bandwidth = each,
                                    .latency = wan.latency * 0.5}));
    }
    return {};
}

std::string titleOf(const ClusterSpec& cluster, const WanTier& wan) {
    const std::string network =
        cluster.nodes > 1 && !cluster.fabric.name.empty() ? " on " + cluster.fabric.name : "";
    const std::string sites = wan.sites > 1 ? std::to_string(wan.sites) + " sites of " : "";
    return sites + std::to_string(cluster.nodes) + " x " + cluster.node.name + network;
}

}  // namespace

Result<void> checkGraphSize(const ClusterSpec& cluster, const TopologyOptions& options) {
    if (cluster.nodes > 1 && cluster.node.gpus > kMostGraphNodeGpus) {
        return fail(Error::Code::Unsupported,
                    "cluster",
                    "the graph would have several nodes of more than " +
                        std::to_string(kMostGraphNodeGpus) + " GPUs",
                    "-n 1, or smaller nodes");
    }
    const std::int64_t all = options.fails ? kMostGraphGpus / 2 : kMostGraphGpus;
    const std::int64_t most = all / std::max<std::int64_t>(1, options.wan.sites);
    if (cluster.gpus() <= most) {
        return {};
    }
    return fail(Error::Code::Unsupported,
                "cluster",
                "the graph would have more than " + std::to_string(all) + " GPUs" +
                    (options.fails ? ", some of whose links are down" : ""),
                "-n " + std::to_string(most / cluster.node.gpus));
}

Result<DescribedTopology> clusterTopology(const ClusterSpec& cluster,
                                          const TopologyOptions& options) {
    const std::optional<FabricPlan> plan = fabricPlan(cluster);
    FABRICAST_TRY(check(cluster, options, plan));
    NodeDevices devices(cluster.node, plan ? plan->nicRate : BytesPerSecond(0), options.hostLink);
    TopologyBuilder builder;
    std::vector<std::vector<DeviceIndex>> tops;
    for (std::int64_t number = 0; number < options.wan.sites; ++number) {
        const std::string prefix =
            options.wan.sites > 1 ? "site" + std::to_string(number) + "/" : "";
        Site site(cluster, plan, prefix);
        FABRICAST_TRY(
            site.build(devices, static_cast<std::int32_t>(number * cluster.nodes), builder));
        tops.push_back(site.top());
    }
    if (options.wan.sites > 1) {
        FABRICAST_ASSIGN(const DeviceIndex middle,
                         builder.add({.name = "wan0", .kind = DeviceKind::Wan}));
        for (const std::vector<DeviceIndex>& top : tops) {
            FABRICAST_TRY(joinWan(top, options.wan, middle, builder));
        }
    }
    FABRICAST_ASSIGN(Topology topology, std::move(builder).build());
    DescribedTopology built{std::move(topology), titleOf(cluster, options.wan), {}};
    built.assumed.assign(devices.assumed().begin(), devices.assumed().end());
    if (plan) {
        std::ranges::copy(plan->assumed, std::back_inserter(built.assumed));
    }
    return built;
}

}  // namespace fabricast
