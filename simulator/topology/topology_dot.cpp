#include "planner/base/quantity_text.h"
#include "planner/report/table.h"
#include "simulator/topology/topology_report.h"

#include <set>

namespace fabricast {
namespace {

constexpr std::size_t kMostWhole = 400;
constexpr std::size_t kMostInDotRow = 16;
constexpr std::array<const char*, kDeviceKinds> kDotFills = {"#76b900",
                                                             "#b7d98b",
                                                             "#d9d9d9",
                                                             "#e6e6e6",
                                                             "#bfbfbf",
                                                             "#9ecae1",
                                                             "#6baed6",
                                                             "#4292c6",
                                                             "#2171b5",
                                                             "#fdae6b"};

std::string quoted(const std::string& name) {
    std::string text = "\"";
    for (const char letter : name) {
        text +=
            letter == '"' || letter == '\\' ? std::string("\\") + letter : std::string(1, letter);
    }
    return text + "\"";
}

std::set<DeviceIndex> shownDevices(const Topology& topology) {
    std::set<DeviceIndex> shown;
    if (topology.devices().size() <= kMostWhole) {
        for (DeviceIndex device = 0; device < topology.devices().size(); ++device) {
            shown.insert(device);
        }
        return shown;
    }
    for (const DrawnRow& row : drawnRows(topology, kMostInDotRow)) {
        shown.insert(row.devices.begin(), row.devices.end());
    }
    return shown;
}

}  // namespace

std::string topologyDot(const DescribedTopology& described, const TopologyFacts& facts) {
    const Topology& topology = described.topology;
    const std::set<DeviceIndex> shown = shownDevices(topology);
    const std::set<LinkIndex> cut(facts.bisection.links.begin(), facts.bisection.links.end());
    std::set<LinkIndex> down;
    if (facts.outage) {
        down.insert(facts.outage->down.begin(), facts.outage->down.end());
    }
    std::string label = described.title;
    if (shown.size() < topology.devices().size()) {
        label += ": " + grouped(static_cast<long long>(shown.size())) + " of " +
                 grouped(static_cast<long long>(topology.devices().size())) + " devices";
    }
    std::string text = "graph topology {\n  label=" + quoted(label) +
                       "\n  rankdir=BT\n  node [shape=box style=filled fontname=sans]\n";
    for (const DeviceIndex device : shown) {
        const NetworkDevice& at = topology.devices()[device];
        text += "  " + quoted(at.name) + " [fillcolor=\"" +
                kDotFills[static_cast<std::size_t>(at.kind)] + "\"]\n";
    }
    for (LinkIndex link = 0; link < topology.links().size(); ++link) {
        const NetworkLink& at = topology.links()[link];
        if (!shown.contains(at.from) || !shown.contains(at.to)) {
            continue;
        }
        text += "  " + quoted(topology.devices()[at.from].name) + " -- " +
                quoted(topology.devices()[at.to].name) +
                " [label=" + quoted(shortText(at.bandwidth)) +
                (down.contains(link) ? " color=red style=dashed" : "") +
                (cut.contains(link) ? " color=orange" : "") + "]\n";
    }
    return text + "}\n";
}

}  // namespace fabricast
