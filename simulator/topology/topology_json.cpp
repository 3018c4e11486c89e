#include "simulator/topology/topology_json.h"

#include "planner/base/quantity_text.h"
#include "planner/io/json_document.h"
#include "planner/io/json_text.h"

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
constexpr std::int64_t kMostCables = 1'000'000;
constexpr std::string_view kBetween = " - ";
constexpr std::array<std::string_view, 8> kRootKeys = {
    "schema", "tool", "title", "assumed", "nodes", "fabric", "links", "facts"};
constexpr std::array<std::string_view, kDeviceKinds> kKindKeys = {
    "gpu", "nvswitch", "pci", "root", "cpu", "nic", "leaf", "spine", "core", "wan"};
constexpr std::array<std::string_view, kLinkKinds> kLinkKindKeys = {
    "nvlink", "pcie", "socket", "network", "wan"};
constexpr std::array<std::string_view, 6> kLinkKeys = {
    "kind", "bandwidth", "latency", "cables", "assumed", "between"};

using ByKind = std::array<std::vector<DeviceIndex>, kDeviceKinds>;

void addDevices(JsonText& json, const Topology& topology, const ByKind& devices) {
    for (std::size_t kind = 0; kind < kDeviceKinds; ++kind) {
        if (devices[kind].empty()) {
            continue;
        }
        json.beginArray(kKindKeys[kind]);
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
            json.item(topology.devices()[topology.links()[link].from].name + std::string(kBetween) +
                      topology.devices()[topology.links()[link].to].name);
        }
        json.end();
        json.end();
    }
    json.end();
}

void addOutage(JsonText& json, const OutageEffect& outage) {
    json.beginObject("outage");
    json.beginArray("failed");
    for (const std::string& name : outage.failed) {
        json.item(name);
    }
    json.end();
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

/// A reader of one file.
class TopologyReader {
public:
    Result<DescribedTopology> read(const JsonValue& root) {
        FABRICAST_TRY(root.onlyKeys(kRootKeys));
        FABRICAST_ASSIGN(const std::string schema, root.textOr("schema", ""));
        if (schema != "fabricast.topology/1") {
            return tl::unexpected(
                root.problem("is no topology", "\"schema\": \"fabricast.topology/1\""));
        }
        FABRICAST_ASSIGN(const JsonValue* const nodes, root.require("nodes"));
        FABRICAST_TRY(nodes->expect(JsonValue::Kind::Array));
        for (const JsonValue& node : nodes->items()) {
            FABRICAST_TRY(readDevices(node, node_++));
        }
        if (const JsonValue* fabric = root.find("fabric")) {
            FABRICAST_TRY(readDevices(*fabric, kNoNode));
        }
        FABRICAST_ASSIGN(const JsonValue* const links, root.require("links"));
        FABRICAST_TRY(links->expect(JsonValue::Kind::Array));
        for (const JsonValue& link : links->items()) {
            FABRICAST_TRY(readLinks(link));
        }
        DescribedTopology described;
        FABRICAST_ASSIGN(described.title, root.textOr("title", "a topology"));
        FABRICAST_ASSIGN(described.assumed, readAssumed(root));
        Result<Topology> built = std::move(builder_).build();
        if (!built) {
            return tl::unexpected(nodes->problem("cannot be used: " + built.error().why));
        }
        described.topology = *std::move(built);
        return described;
    }

private:
    static Result<std::vector<std::string>> readAssumed(const JsonValue& root) {
        std::vector<std::string> assumed;
        if (const JsonValue* said = root.find("assumed")) {
            FABRICAST_TRY(said->expect(JsonValue::Kind::Array));
            for (const JsonValue& item : said->items()) {
                FABRICAST_ASSIGN(std::string what, item.text());
                assumed.push_back(std::move(what));
            }
        }
        return assumed;
    }

    Result<void> readDevices(const JsonValue& object, std::int32_t node) {
        FABRICAST_TRY(object.onlyKeys(kKindKeys));
        for (std::size_t kind = 0; kind < kDeviceKinds; ++kind) {
            const JsonValue* names = object.find(kKindKeys[kind]);
            if (names == nullptr) {
                continue;
            }
            FABRICAST_TRY(names->expect(JsonValue::Kind::Array));
            if (kind == static_cast<std::size_t>(DeviceKind::Gpu) && node == kNoNode) {
                return tl::unexpected(names->problem("belongs to a node", "a list of \"nodes\""));
            }
            std::int32_t slot = 0;
            for (const JsonValue& item : names->items()) {
                FABRICAST_ASSIGN(std::string name, item.text());
                const Result<DeviceIndex> made =
                    builder_.add({.name = std::move(name),
                                  .kind = static_cast<DeviceKind>(kind),
                                  .node = node,
                                  .slot = slot++});
                if (!made) {
                    return tl::unexpected(item.problem("cannot be used: " + made.error().why));
                }
            }
        }
        return {};
    }

    Result<void> readLinks(const JsonValue& object) {
        FABRICAST_TRY(object.onlyKeys(kLinkKeys));
        FABRICAST_ASSIGN(const NetworkLink alike, readLink(object));
        FABRICAST_ASSIGN(const JsonValue* const between, object.require("between"));
        FABRICAST_TRY(between->expect(JsonValue::Kind::Array));
        for (const JsonValue& item : between->items()) {
            NetworkLink link = alike;
            FABRICAST_ASSIGN(std::tie(link.from, link.to), ends(item));
            if (const Result<LinkIndex> made = builder_.join(link); !made) {
                return tl::unexpected(item.problem("cannot be used: " + made.error().why));
            }
        }
        return {};
    }

    static Result<NetworkLink> readLink(const JsonValue& object) {
        NetworkLink link;
        FABRICAST_ASSIGN(const JsonValue* const kind, object.require("kind"));
        FABRICAST_ASSIGN(const std::string word, kind->text());
        const auto known = std::ranges::find(kLinkKindKeys, word);
        if (known == kLinkKindKeys.end()) {
            return tl::unexpected(kind->problem("cannot be \"" + word + "\"",
                                                "nvlink, pcie, socket, network or wan"));
        }
        link.kind = static_cast<LinkKind>(known - kLinkKindKeys.begin());
        FABRICAST_ASSIGN(const JsonValue* const rate, object.require("bandwidth"));
        FABRICAST_ASSIGN(const std::string written, rate->text());
        FABRICAST_ASSIGN(link.bandwidth, parseQuantity<BytesPerSecond>(written, rate->where()));
        if (!(link.bandwidth.count() >= 1.0) || link.bandwidth > kFastestLink) {
            return tl::unexpected(rate->problem("must be from 1 B/s to 1 PB/s, not " + written));
        }
        if (const JsonValue* latency = object.find("latency")) {
            FABRICAST_ASSIGN(const std::string time, latency->text());
            FABRICAST_ASSIGN(link.latency, parseQuantity<Seconds>(time, latency->where()));
        }
        FABRICAST_ASSIGN(const std::int64_t cables,
                         object.integerOr("cables", 1, {1, kMostCables}));
        link.cables = static_cast<std::int32_t>(cables);
        FABRICAST_ASSIGN(link.assumed, object.booleanOr("assumed", false));
        return link;
    }

    [[nodiscard]] Result<std::pair<DeviceIndex, DeviceIndex>> ends(const JsonValue& item) const {
        FABRICAST_ASSIGN(const std::string text, item.text());
        const std::size_t middle = text.find(kBetween);
        if (middle == std::string::npos) {
            return tl::unexpected(item.problem("is no link", "\"node0/nic0 - leaf0\""));
        }
        const std::string names[] = {text.substr(0, middle), text.substr(middle + kBetween.size())};
        std::array<DeviceIndex, 2> found{};
        for (std::size_t end = 0; end < found.size(); ++end) {
            const auto device = builder_.device(names[end]);
            if (!device) {
                return tl::unexpected(
                    item.problem("joins \"" + names[end] + "\", which is no device"));
            }
            found[end] = *device;
        }
        return std::pair(found[0], found[1]);
    }

    TopologyBuilder builder_;
    std::int32_t node_ = 0;
};

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
    json.beginObject();
    json.add("schema", "fabricast.topology/1");
    json.beginObject("tool");
    json.add("name", "fabricast");
    json.add("version", version);
    json.end();
    json.add("title", described.title);
    json.beginArray("assumed");
    for (const std::string& what : described.assumed) {
        json.item(what);
    }
    json.end();
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
        return fail(Error::Code::Unsupported,
                    "--format",
                    "a topology of " + std::to_string(topology.gpus().size()) +
                        " GPUs is too large for one JSON document",
                    "fewer nodes with -n");
    }
    return text;
}

Result<DescribedTopology> readTopologyJson(std::string_view text, const std::string& source) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    return TopologyReader().read(root);
}

}  // namespace fabricast
