#pragma once
#include "planner/spec/cluster_spec.h"
#include "simulator/network/topology.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace fabricast {

/// What of a node the others are joined to.
struct NodePorts {
    std::vector<DeviceIndex> gpus;
    std::vector<DeviceIndex> nics;
};

/// This adds the devices of one node after the other to a graph, as the node's profile joins them.
///     NodeDevices nodes(cluster.node, nicRate, {});
///     FABRICAST_ASSIGN(const NodePorts ports, nodes.add("node3", 3, builder));
class NodeDevices {
public:
    NodeDevices(const NodeSpec& spec,
                BytesPerSecond nicRate,
                std::optional<BytesPerSecond> hostLink);

    /// `prefix` is "node3", `node` its number.
    Result<NodePorts> add(const std::string& prefix, std::int32_t node, TopologyBuilder& builder);

    [[nodiscard]] const std::set<std::string>& assumed() const { return assumed_; }

private:
    struct Place;
    Result<void> addHost(Place& place);
    Result<DeviceIndex> addBelow(Place& place, std::int64_t gpu, std::vector<DeviceIndex>& made);
    std::int64_t assumedPerSwitch();
    Result<void> addSockets(Place& place);
    Result<void> addGpus(Place& place);
    Result<void> addNics(Place& place);
    Result<void> addGpuLinks(Place& place);
    Result<void> addSwitches(Place& place);
    Result<void> addMesh(Place& place);

    const NodeSpec& spec_;
    BytesPerSecond nicRate_;
    std::optional<BytesPerSecond> hostLink_;
    std::set<std::string> assumed_;
};

/// NVSwitches that join GPUs: those of the profile, or one that represents all of them.
std::int64_t switchCount(const NodeSpec& spec);

/// The GPU nearest to a NIC.
constexpr std::int64_t gpuOfNic(std::int64_t nic, std::int64_t gpus, std::int64_t nics) {
    return nic * gpus / nics;
}

}  // namespace fabricast
