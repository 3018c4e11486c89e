#include "simulator/network/fabric_plan.h"

#include <algorithm>
#include <cmath>

namespace fabricast {
namespace {

/// Ports of a switch: Quantum-2 and SN5600 have 64, of 400 and of 800 Gb/s.
constexpr double kPorts = 64.0;
/// NICs of one board at most; racks have the same rails in every tray.
constexpr std::int64_t kMostRails = 16;

std::int64_t roundedUp(double count) {
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(count - 1e-9)));
}

std::int64_t ratioUp(std::int64_t all, std::int64_t each) {
    return (all + each - 1) / each;
}

BytesPerSecond rateOfNic(const ClusterSpec& cluster) {
    const FabricSpec& fabric = cluster.fabric;
    if (cluster.node.nicBandwidth.value) {
        return *cluster.node.nicBandwidth.value;
    }
    const double share = fabric.perNode ? 1.0 / static_cast<double>(*cluster.node.nics.value) : 1.0;
    return fabric.linkBandwidth.value.value_or(BytesPerSecond(0)) * share;
}

std::int64_t railsOf(std::int64_t nics) {
    std::int64_t rails = std::min(nics, kMostRails);
    while (nics % rails != 0) {
        --rails;
    }
    return rails;
}

/// Which NICs share a leaf.
void setUnits(const ClusterSpec& cluster, double taper, FabricPlan& plan) {
    const FabricSpec& fabric = cluster.fabric;
    const double down = kPorts * taper / (taper + 1.0);
    const bool rails = fabric.topology == "rail-optimised";
    plan.leavesPerUnit = rails ? railsOf(plan.nics) : ratioUp(plan.nics, roundedUp(down));
    const auto nicsPerLeaf = static_cast<double>(ratioUp(plan.nics, plan.leavesPerUnit));
    const auto most = std::max<std::int64_t>(1, static_cast<std::int64_t>(down / nicsPerLeaf));
    plan.nodesPerUnit = fabric.nodesPerLeaf.value.value_or(most);
    if (!fabric.nodesPerLeaf.value) {
        plan.assumed.emplace_back("leaf switches of 64 ports");
    } else if (rails) {
        plan.nodesPerUnit = std::min(plan.nodesPerUnit, most);
    }
    plan.nodesPerUnit = std::clamp<std::int64_t>(plan.nodesPerUnit, 1, cluster.nodes);
    plan.units = ratioUp(cluster.nodes, plan.nodesPerUnit);
    plan.leafUp = static_cast<double>(plan.nodesPerUnit) * nicsPerLeaf / taper;
}

/// Spines for the leaves of a pod, and cores for the pods.
void setSpines(const ClusterSpec& cluster, double podTaper, FabricPlan& plan) {
    const auto leaves = static_cast<double>(plan.leavesPerPod());
    const double ports = plan.pods > 1 && podTaper <= 1.0 ? kPorts / 2 : kPorts;
    const double up = leaves * plan.leafUp;
    // A pod that the profile calls flat has spines as large as that takes.
    plan.spinesPerPod = leaves <= ports ? roundedUp(up / ports) : roundedUp(plan.leafUp);
    if (plan.pods > 1) {
        plan.spineUp = up / static_cast<double>(plan.spinesPerPod) / podTaper;
        plan.coresPerPlane = roundedUp(static_cast<double>(plan.pods) * plan.spineUp / kPorts);
        plan.assumed.emplace_back("spine and core switches of 64 ports");
    } else {
        plan.assumed.emplace_back("spine switches of 64 ports");
    }
    if (cluster.nodes == 1 || plan.leaves() == 1) {
        plan.spinesPerPod = 0;
        plan.assumed.pop_back();
    }
}

}  // namespace

std::optional<FabricPlan> fabricPlan(const ClusterSpec& cluster) {
    const FabricSpec& fabric = cluster.fabric;
    FabricPlan plan;
    plan.nics = cluster.node.nics.value.value_or(0);
    if (plan.nics <= 0 || fabric.kind.empty() || fabric.kind == "none") {
        return std::nullopt;
    }
    plan.nicRate = rateOfNic(cluster);
    if (plan.nicRate.count() <= 0) {
        return std::nullopt;
    }
    plan.latency = fabric.latency.value.value_or(Seconds(0));
    const double taper = std::max(1.0, fabric.oversubscription.value.value_or(1.0));
    const std::int64_t flat = fabric.fullBisectionGpus.value.value_or(0);
    setUnits(cluster, flat > 0 ? 1.0 : taper, plan);
    plan.unitsPerPod = plan.units;
    if (flat > 0) {
        plan.unitsPerPod =
            std::max<std::int64_t>(1, flat / (cluster.node.gpus * plan.nodesPerUnit));
    } else if (static_cast<double>(plan.leaves()) > kPorts) {
        plan.unitsPerPod =
            std::max<std::int64_t>(1, static_cast<std::int64_t>(kPorts / 2) / plan.leavesPerUnit);
    }
    plan.unitsPerPod = std::min(plan.unitsPerPod, plan.units);
    plan.pods = ratioUp(plan.units, plan.unitsPerPod);
    setSpines(cluster, flat > 0 ? taper : 1.0, plan);
    return plan;
}

}  // namespace fabricast
