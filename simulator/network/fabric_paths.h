#pragma once
#include "simulator/network/topology.h"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace fabricast {

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
