#include "planner/base/quantity_text.h"
#include "planner/report/begin_answer.h"
#include "planner/text/json_text.h"
#include "simulator/topology/topology_report.h"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;
constexpr std::size_t kMostValues = 200'000;

using ByKind = std::array<std::vector<DeviceIndex>, kDeviceKinds>;

void addDevices(JsonText& json, const Topology& topology, const ByKind& devices) {
    for (std::size_t kind = 0; kind < kDeviceKinds; ++kind) {
        if (devices[kind].empty()) {
            continue;
        }
        json.beginArray(kDeviceKeys[kind]);
        for (const DeviceIndex device : devices[kind]) {
            json.item(topology.devices()[device].name);
        }
        json.end();
    }
}

void addLinks(JsonText& json, const Topology& topology) {
    using Key = std::tuple<LinkKind, double, double, std::int32_t, bool>;
    std::map<Key, std::vector<LinkIndex>> alike;
    for (LinkIndex link = 0; link < topology.links().size(); ++link) {
        const NetworkLink& at = topology.links()[link];
        if (at.up) {
            alike[{at.kind, at.bandwidth.count(), at.latency.count(), at.cables, at.assumed}]
                .push_back(link);
        }
    }
    json.beginArray("links");
    for (const auto& [key, links] : alike) {
        const NetworkLink& first = topology.links()[links.front()];
        json.beginObject();
        json.add("kind", linkKindName(first.kind));
        json.add("bandwidth", quantityText(first.bandwidth));
        if (first.latency.count() > 0) {
            json.add("latency", quantityText(first.latency));
        }
        if (first.cables != 1) {
            json.add("cables", first.cables);
        }
        if (first.assumed) {
            json.add("assumed", true);
        }
        json.beginArray("between");
        for (const LinkIndex link : links) {
            json.item(topology.devices()[topology.links()[link].from].name +
                      std::string(kLinkBetween) +
                      topology.devices()[topology.links()[link].to].name);
        }
        json.end();
        json.end();
    }
    json.end();
}

void addOutage(JsonText& json, const OutageEffect& outage) {
    json.beginObject("outage");
    json.add("failed", outage.failed);
    json.add("links_down", outage.down.size());
    json.add("gpus_cut_off", outage.reach.apart.size());
    json.add("bisection_bytes_per_s", outage.bisection.bandwidth.count());
    if (!outage.node.empty()) {
        json.add("node", outage.node);
        json.add("node_bytes_per_s_before", outage.nodeBefore.count());
        json.add("node_bytes_per_s_after", outage.nodeAfter.count());
    }
    json.end();
}

void addFacts(JsonText& json, const Topology& topology, const TopologyFacts& facts) {
    json.beginObject("facts");
    json.add("gpus", topology.gpus().size());
    json.add("nodes", topology.nodes());
    json.add("bisection_bytes_per_s", facts.bisection.bandwidth.count());
    json.beginArray("weakest_cut");
    constexpr std::size_t kMostNamed = 1000;
    for (std::size_t link = 0; link < std::min(kMostNamed, facts.bisection.links.size()); ++link) {
        json.item(topology.linkName(facts.bisection.links[link]));
    }
    json.end();
    json.add("weakest_cut_links", facts.bisection.links.size());
    if (facts.outage) {
        addOutage(json, *facts.outage);
    }
    json.end();
}

}  // namespace

Result<std::string> topologyJson(const DescribedTopology& described,
                                 const TopologyFacts& facts,
                                 std::string_view version) {
    const Topology& topology = described.topology;
    std::vector<ByKind> nodes(topology.nodes());
    ByKind fabric;
    for (DeviceIndex device = 0; device < topology.devices().size(); ++device) {
        const NetworkDevice& at = topology.devices()[device];
        ByKind& of = at.node == kNoNode ? fabric : nodes[static_cast<std::size_t>(at.node)];
        of[static_cast<std::size_t>(at.kind)].push_back(device);
    }
    JsonText json;
    beginAnswer(json, "fabricast.topology/1", version);
    json.add("title", described.title);
    json.add("assumed", described.assumed);
    addFacts(json, topology, facts);
    json.beginArray("nodes");
    for (const ByKind& node : nodes) {
        json.beginObject();
        addDevices(json, topology, node);
        json.end();
    }
    json.end();
    json.beginObject("fabric");
    addDevices(json, topology, fabric);
    json.end();
    addLinks(json, topology);
    json.end();
    std::string text = std::move(json).finish();
    // Each link has a name, and each kind of device of a node a list.
    const std::size_t values =
        topology.devices().size() + topology.links().size() * 2 + nodes.size() * kDeviceKinds;
    if (text.size() > kMostBytes || values > kMostValues) {
        const bool isLong = text.size() > kMostBytes;
        return fail(Error::Code::Unsupported,
                    "--format",
                    "a topology of " + std::to_string(topology.gpus().size()) +
                        " GPUs is too large for one JSON document: " +
                        (isLong ? shortText(Bytes(static_cast<std::int64_t>(text.size()))) +
                                      ", and it has at most " +
                                      shortText(Bytes(static_cast<std::int64_t>(kMostBytes)))
                                : std::to_string(values) +
                                      " devices, links and lists, and it has at most " +
                                      std::to_string(kMostValues)),
                    "fewer nodes with -n");
    }
    return text;
}

}  // namespace fabricast
