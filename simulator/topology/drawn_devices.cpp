#include "simulator/topology/topology_report.h"

#include <algorithm>

namespace fabricast {
namespace {

const std::array<std::vector<DeviceKind>, 9> kRows = {
    std::vector{DeviceKind::Wan},
    std::vector{DeviceKind::Core},
    std::vector{DeviceKind::Spine},
    std::vector{DeviceKind::Leaf},
    std::vector{DeviceKind::Nic},
    std::vector{DeviceKind::Socket},
    std::vector{DeviceKind::PciSwitch, DeviceKind::RootComplex},
    std::vector{DeviceKind::Gpu},
    std::vector{DeviceKind::NvSwitch}};

/// Near the first node: its own devices, and whatever is reached from them by going up.
std::vector<bool> nearFirstNode(const Topology& topology) {
    std::vector<bool> near(topology.devices().size(), false);
    std::vector<DeviceIndex> open;
    for (const DeviceIndex device :
         topology.devicesOf(topology.devices()[topology.gpus().front()].node)) {
        near[device] = true;
        open.push_back(device);
    }
    for (std::size_t next = 0; next < open.size(); ++next) {
        const DeviceKind kind = topology.devices()[open[next]].kind;
        for (const Hop hop : topology.hops(open[next])) {
            const NetworkDevice& other = topology.devices()[hop.to];
            const bool up = other.kind > kind || other.kind == DeviceKind::NvSwitch;
            if (!near[hop.to] && up && other.node == kNoNode) {
                near[hop.to] = true;
                open.push_back(hop.to);
            }
        }
    }
    return near;
}

}  // namespace

std::vector<DrawnRow> drawnRows(const Topology& topology, std::size_t most) {
    const std::vector<bool> near = nearFirstNode(topology);
    std::vector<DrawnRow> rows;
    for (const std::vector<DeviceKind>& kinds : kRows) {
        DrawnRow row{kinds, {}, 0};
        std::vector<DeviceIndex> others;
        for (DeviceIndex device = 0; device < near.size(); ++device) {
            const NetworkDevice& at = topology.devices()[device];
            if (std::ranges::find(kinds, at.kind) == kinds.end()) {
                continue;
            }
            ++row.all;
            if (near[device]) {
                row.devices.push_back(device);
            } else if (at.node == kNoNode && at.kind != DeviceKind::NvSwitch) {
                others.push_back(device);
            }
        }
        row.devices.insert(row.devices.end(), others.begin(), others.end());
        row.devices.resize(std::min(row.devices.size(), most));
        if (!row.devices.empty()) {
            std::ranges::sort(row.devices);
            rows.push_back(std::move(row));
        }
    }
    return rows;
}

}  // namespace fabricast
