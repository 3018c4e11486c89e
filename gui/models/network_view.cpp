#include "gui/models/network_view.h"

#include "planner/base/quantity_text.h"
#include "planner/report/percent_text.h"

#include <map>
#include <optional>
#include <utility>

namespace fabricast {
namespace {

std::optional<MapLevel> levelOf(DeviceKind kind) {
    switch (kind) {
        case DeviceKind::Leaf:
            return MapLevel::Leaf;
        case DeviceKind::Spine:
            return MapLevel::Spine;
        case DeviceKind::Core:
        case DeviceKind::Wan:
            return MapLevel::Core;
        default:
            return std::nullopt;
    }
}

std::string classOf(const Topology& topology, const NetworkLink& link) {
    return std::string(deviceKindName(topology.devices()[link.from].kind)) + "-" +
           std::string(deviceKindName(topology.devices()[link.to].kind));
}

const LinkUse* useOf(const std::vector<LinkUse>& uses, DeviceKind from, DeviceKind to) {
    const std::string there =
        std::string(deviceKindName(from)) + "-" + std::string(deviceKindName(to));
    const std::string back =
        std::string(deviceKindName(to)) + "-" + std::string(deviceKindName(from));
    for (const LinkUse& use : uses) {
        if (use.name == there || use.name == back) {
            return &use;
        }
    }
    return nullptr;
}

/// Boxes and bundles of a topology: its servers as one box each.
class MapWriter {
public:
    MapWriter(const Topology& topology, const std::vector<LinkUse>& uses)
        : topology_(topology), uses_(uses) {}

    NetworkMapValues take() && {
        for (std::size_t node = 0; node < topology_.nodes(); ++node) {
            values_.boxes.push_back({.id = static_cast<std::uint32_t>(node),
                                     .level = MapLevel::Node,
                                     .label = "server " + std::to_string(node)});
        }
        for (DeviceIndex device = 0; device < topology_.devices().size(); ++device) {
            addSwitch(device);
        }
        for (const NetworkLink& link : topology_.links()) {
            addLink(link);
        }
        for (auto& [ends, link] : bundles_) {
            values_.links.push_back(std::move(link));
        }
        return std::move(values_);
    }

private:
    void addSwitch(DeviceIndex device) {
        const NetworkDevice& one = topology_.devices()[device];
        const std::optional<MapLevel> level = levelOf(one.kind);
        if (level && one.node == kNoNode) {
            const auto id = static_cast<std::uint32_t>(values_.boxes.size());
            boxOf_[device] = id;
            values_.boxes.push_back({.id = id, .level = *level, .label = one.name});
        }
    }

    [[nodiscard]] std::optional<std::uint32_t> box(DeviceIndex device) const {
        const NetworkDevice& one = topology_.devices()[device];
        if (one.node != kNoNode) {
            return static_cast<std::uint32_t>(one.node);
        }
        const auto found = boxOf_.find(device);
        return found == boxOf_.end() ? std::nullopt : std::optional(found->second);
    }

    void addLink(const NetworkLink& link) {
        const auto from = box(link.from);
        const auto to = box(link.to);
        if (!from || !to || *from == *to) {
            return;
        }
        const auto [entry, isNew] = bundles_.try_emplace(std::pair(*from, *to));
        MapLink& bundle = entry->second;
        if (isNew) {
            const LinkUse* use = useOf(
                uses_, topology_.devices()[link.from].kind, topology_.devices()[link.to].kind);
            bundle = {.id = static_cast<std::uint32_t>(bundles_.size()),
                      .from = *from,
                      .to = *to,
                      .load = use != nullptr ? use->mean : 0.0,
                      .count = 0,
                      .note = classOf(topology_, link)};
        }
        bundle.capacity += link.bandwidth.count();
        bundle.count += link.cables;
    }

    const Topology& topology_;
    const std::vector<LinkUse>& uses_;
    NetworkMapValues values_;
    std::map<DeviceIndex, std::uint32_t> boxOf_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, MapLink> bundles_;
};

/// How many boxes of a level are drawn one by one.
constexpr std::size_t kMostBoxes = 24;

}  // namespace

NetworkMapValues networkMap(const TopologyAnswer& answer, const std::vector<LinkUse>& uses) {
    NetworkMapValues values = MapWriter(answer.described.topology, uses).take();
    return aggregated(values, kMostBoxes);
}

Table linkRows(const TopologyAnswer& answer, const std::vector<LinkUse>& uses) {
    Table table{{{"links"},
                 {"number", Align::Right},
                 {"each, one way", Align::Right},
                 {"together", Align::Right},
                 {"busy in a step", Align::Right},
                 {"the busiest", Align::Right}},
                {}};
    for (const LinkTier& tier : answer.facts.tiers) {
        const LinkUse* use = useOf(uses, tier.from, tier.to);
        table.rows.push_back(
            {std::string(deviceKindName(tier.from)) + " to " +
                 std::string(deviceKindName(tier.to)) + (tier.assumed ? " (assumed)" : ""),
             std::to_string(tier.links),
             shortText(tier.least) + (tier.least == tier.most ? "" : " – " + shortText(tier.most)),
             shortText(tier.together),
             use != nullptr ? percentText(use->mean) : "",
             use != nullptr ? percentText(use->most) : ""});
    }
    return table;
}

std::string networkHeadline(const TopologyAnswer& answer) {
    const TopologyFacts& facts = answer.facts;
    std::string text = facts.title + ".";
    if (facts.nodes > 1) {
        text += " Half of the GPUs reach the other half at " +
                shortText(facts.bisection.bandwidth) + ".";
    }
    if (!facts.singlePoints.empty()) {
        text += " " + std::to_string(facts.singlePoints.size()) +
                " links have no other way around them.";
    }
    return text;
}

}  // namespace fabricast
