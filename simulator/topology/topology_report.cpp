#include "simulator/topology/topology_report.h"

#include "planner/base/quantity_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, kDeviceKinds> kWords = {
    "GPU", "NVSwitch", "PCIe switch", "root complex", "CPU", "NIC", "leaf", "spine", "core", "WAN"};
constexpr std::array<std::string_view, kDeviceKinds> kManyWords = {"GPUs",
                                                                   "NVSwitches",
                                                                   "PCIe switches",
                                                                   "root complexes",
                                                                   "CPUs",
                                                                   "NICs",
                                                                   "leaves",
                                                                   "spines",
                                                                   "cores",
                                                                   "WANs"};

std::string counted(std::int64_t count, std::string_view one, std::string_view many) {
    return grouped(count) + " " + std::string(count == 1 ? one : many);
}

std::string devicesText(const TopologyFacts& facts) {
    std::string text = counted(facts.nodes, "node", "nodes");
    for (std::size_t kind = 0; kind < kDeviceKinds; ++kind) {
        if (facts.count[kind] > 0) {
            text += ", " + counted(facts.count[kind], kWords[kind], kManyWords[kind]);
        }
    }
    return text;
}

std::string rangeText(const LinkTier& tier) {
    const std::string most = shortText(tier.most);
    const std::string least = shortText(tier.least);
    return (least == most ? most : least + " to " + most) + (tier.assumed ? "?" : "");
}

std::string changeText(BytesPerSecond before, BytesPerSecond after) {
    const std::string text = shortText(before) + " before, " + shortText(after) + " after";
    if (before == after || before.count() <= 0.0) {
        return text;
    }
    const double percent = (1.0 - after / before) * 100.0;
    std::string shown = percent < 0.1 ? "less than 0.1" : std::to_string(std::lround(percent * 10));
    if (percent >= 0.1) {
        shown.insert(shown.size() - 1, shown.size() == 1 ? "0." : ".");
    }
    return text + " (-" + shown + " %)";
}

std::string outageText(const TopologyFacts& facts, const Topology& topology) {
    const OutageEffect& outage = *facts.outage;
    std::string text = "\nFAILED ";
    for (const std::string& name : outage.failed) {
        text += " " + name;
    }
    text += "  (" + counted(static_cast<std::int64_t>(outage.down.size()), "link", "links") + ")\n";
    if (outage.reach.apart.empty()) {
        text += "  all GPUs still reach each other\n";
    } else {
        const auto lost = static_cast<std::int64_t>(outage.reach.apart.size());
        text += "  cut off: " + counted(lost, "GPU", "GPUs") + ", " +
                topology.devices()[outage.reach.apart.front()].name +
                (lost > 1 ? " first\n" : "\n");
    }
    text +=
        "  bisection: " + changeText(facts.bisection.bandwidth, outage.bisection.bandwidth) + "\n";
    if (!outage.node.empty()) {
        text += "  " + outage.node +
                " to all others: " + changeText(outage.nodeBefore, outage.nodeAfter) + "\n";
    }
    return text;
}

std::string headline(const TopologyFacts& facts) {
    const auto gpus = facts.count[static_cast<std::size_t>(DeviceKind::Gpu)];
    std::string text = "TOPOLOGY  " + counted(gpus, "GPU", "GPUs");
    if (facts.bisection.bandwidth.count() > 0) {
        const auto half = static_cast<double>(gpus / 2);
        text += ", bisection " + shortText(facts.bisection.bandwidth) + ": " +
                shortText(facts.bisection.bandwidth * (1.0 / half)) + " a GPU";
    }
    return text + "\n  " + facts.title + "\n";
}

std::string assumedText(const TopologyFacts& facts) {
    std::string text;
    for (const std::string& what : facts.assumed) {
        text += "assumed: " + what + "\n";
    }
    return text.empty() ? text : "\n" + text;
}

}  // namespace

std::string_view deviceWord(DeviceKind kind) {
    return kWords[static_cast<std::size_t>(kind)];
}

Table tierTable(const TopologyFacts& facts) {
    Table table{{{"tier"},
                 {"over"},
                 {"links", Align::Right},
                 {"cables", Align::Right},
                 {"each, one way", Align::Right},
                 {"together", Align::Right}},
                {}};
    for (const LinkTier& tier : facts.tiers) {
        table.rows.push_back(
            {std::string(deviceWord(tier.from)) + " to " + std::string(deviceWord(tier.to)),
             std::string(linkKindName(tier.kind)),
             grouped(tier.links),
             grouped(tier.cables),
             rangeText(tier),
             shortText(tier.together)});
    }
    return table;
}

std::string linksText(const Topology& topology, const std::vector<LinkIndex>& links) {
    constexpr std::size_t kMostKinds = 4;
    std::map<std::pair<DeviceKind, DeviceKind>, std::vector<LinkIndex>> kinds;
    for (const LinkIndex link : links) {
        const NetworkLink& joined = topology.links()[link];
        kinds[std::minmax(topology.devices()[joined.from].kind, topology.devices()[joined.to].kind)]
            .push_back(link);
    }
    std::string text;
    std::size_t shown = 0;
    for (const auto& [ends, of] : kinds) {
        if (shown++ == kMostKinds) {
            return text + ", …";
        }
        text += text.empty() ? "" : ", ";
        text += counted(static_cast<std::int64_t>(of.size()), "link ", "links ") +
                std::string(deviceWord(ends.first)) + " to " +
                std::string(deviceWord(ends.second)) + " (" + topology.linkName(of.front()) +
                (of.size() > 1 ? ", …)" : ")");
    }
    return text;
}

std::string topologyText(const TopologyFacts& facts, const Topology& topology) {
    std::string text = headline(facts) + "  " + devicesText(facts) + "\n\n";
    text += alignedText(tierTable(facts)) + "\n";
    if (!facts.bisection.links.empty()) {
        text +=
            "weakest cut between the halves: " + linksText(topology, facts.bisection.links) + "\n";
    }
    if (facts.nodes > 1) {
        text += "one node to all others: " + shortText(facts.node.bandwidth) + "\n";
        text += "single points of failure: " +
                (facts.singlePoints.empty() ? "no link between nodes"
                                            : linksText(topology, facts.singlePoints)) +
                "\n";
    }
    if (facts.outage) {
        text += outageText(facts, topology);
    }
    const bool marked =
        std::ranges::any_of(facts.tiers, [](const LinkTier& tier) { return tier.assumed; });
    return text + assumedText(facts) + (marked ? "? not published: see the assumptions\n" : "");
}

}  // namespace fabricast
