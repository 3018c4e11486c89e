#pragma once
#include "planner/spec/cluster_spec.h"
#include "simulator/network/topology.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace fabricast {

/// This is the network between nodes before it is devices and links: how many switches each tier
/// has, and how much goes up from one. Switches of 64 ports, unless the profile names larger units.
///     const auto plan = fabricPlan(cluster);   // 2,048 DGX H100: 512 leaves, 512 spines, 256
///     cores
struct FabricPlan {
    std::int64_t nics = 0;  ///< of a node
    BytesPerSecond nicRate;
    Seconds latency;                 ///< of the fabric, end to end
    std::int64_t nodesPerUnit = 1;   ///< whose NICs share a set of leaves
    std::int64_t leavesPerUnit = 1;  ///< rail-optimised: one for each NIC of a node
    std::int64_t units = 1;
    std::int64_t unitsPerPod = 1;
    std::int64_t pods = 1;
    std::int64_t spinesPerPod = 0;   ///< 0: a single leaf needs none
    std::int64_t coresPerPlane = 0;  ///< spines of one number in every pod share these; 0: one pod
    double leafUp = 0.0;             ///< cables up from one leaf, each of the NICs' rate
    double spineUp = 0.0;
    std::vector<std::string> assumed;  ///< what no profile has

    /// The leaf of a NIC, counted over the whole cluster.
    [[nodiscard]] std::int64_t leafOf(std::int64_t node, std::int64_t nic) const {
        return node / nodesPerUnit * leavesPerUnit + nic % leavesPerUnit;
    }
    [[nodiscard]] std::int64_t leaves() const { return units * leavesPerUnit; }
    [[nodiscard]] std::int64_t leavesPerPod() const { return unitsPerPod * leavesPerUnit; }
};

/// Empty: the nodes have no network.
std::optional<FabricPlan> fabricPlan(const ClusterSpec& cluster);

/// This is how many hops every network switch is from a given one: what ECMP routing goes by. Each
/// distance field is worked out when it is first asked for, and kept.
class FabricPaths {
public:
    explicit FabricPaths(const Topology& topology);

    static constexpr std::uint16_t kUnreached = 0xFFFF;

    /// Hops from a NIC to another; kUnreached if there is no path.
    std::uint16_t hops(DeviceIndex fromNic, DeviceIndex toNic);
    /// The links that lie on a shortest way from a switch or NIC to a NIC.
    std::vector<Hop> next(DeviceIndex from, DeviceIndex toNic);

private:
    const std::vector<std::uint16_t>& field(DeviceIndex target);
    std::uint16_t distance(DeviceIndex from, DeviceIndex toNic);
    [[nodiscard]] bool isSwitch(DeviceIndex device) const;

    const Topology& topology_;
    std::vector<std::uint32_t> number_;  ///< of each network switch; others: kNone
    std::uint32_t switches_ = 0;
    std::unordered_map<DeviceIndex, std::vector<std::uint16_t>> fields_;
};

}  // namespace fabricast
