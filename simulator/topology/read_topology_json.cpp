#include "planner/base/quantity_text.h"
#include "planner/text/json_document.h"
#include "simulator/topology/topology_report.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

constexpr std::int64_t kMostCables = 1'000'000;
constexpr std::array<std::string_view, 8> kRootKeys = {
    "schema", "tool", "title", "assumed", "nodes", "fabric", "links", "facts"};
constexpr std::array<std::string_view, kLinkKinds> kLinkKindKeys = {
    "nvlink", "pcie", "socket", "network", "wan"};
constexpr std::array<std::string_view, 6> kLinkKeys = {
    "kind", "bandwidth", "latency", "cables", "assumed", "between"};

/// A reader of one file.
class TopologyReader {
public:
    Result<DescribedTopology> read(const JsonValue& root) {
        FABRICAST_TRY(root.onlyKeys(kRootKeys));
        FABRICAST_ASSIGN(const std::string schema, root.textOr("schema", ""));
        if (schema != "fabricast.topology/1") {
            return tl::unexpected(
                root.problem("is not a topology", "\"schema\": \"fabricast.topology/1\""));
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
        FABRICAST_TRY(object.onlyKeys(kDeviceKeys));
        for (std::size_t kind = 0; kind < kDeviceKinds; ++kind) {
            const JsonValue* names = object.find(kDeviceKeys[kind]);
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
        const std::size_t middle = text.find(kLinkBetween);
        if (middle == std::string::npos) {
            return tl::unexpected(item.problem("is not a link", "\"node0/nic0 - leaf0\""));
        }
        const std::string names[] = {text.substr(0, middle),
                                     text.substr(middle + kLinkBetween.size())};
        std::array<DeviceIndex, 2> found{};
        for (std::size_t end = 0; end < found.size(); ++end) {
            const auto device = builder_.device(names[end]);
            if (!device) {
                return tl::unexpected(
                    item.problem("joins \"" + names[end] + "\", which is not a device"));
            }
            found[end] = *device;
        }
        return std::pair(found[0], found[1]);
    }

    TopologyBuilder builder_;
    std::int32_t node_ = 0;
};

}  // namespace

Result<DescribedTopology> readTopologyJson(std::string_view text, const std::string& source) {
    FABRICAST_ASSIGN(const JsonValue root, parseJson(text, source));
    return TopologyReader().read(root);
}

}  // namespace fabricast
