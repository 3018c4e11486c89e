#include "gui/models/network_view.h"

#include "planner/base/quantity_text.h"

#include <algorithm>
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
    MapWriter(const TopologyAnswer& answer, const std::vector<LinkUse>& uses)
        : topology_(answer.described.topology), outage_(answer.facts.outage), uses_(uses) {}

    NetworkMapView take() && {
        for (std::size_t node = 0; node < topology_.nodes(); ++node) {
            const std::string name = "node" + std::to_string(node);
            addBox({.level = MapLevel::Node, .label = name}, name);
        }
        for (DeviceIndex device = 0; device < topology_.devices().size(); ++device) {
            addSwitch(device);
        }
        for (LinkIndex link = 0; link < topology_.links().size(); ++link) {
            addLink(link);
        }
        for (auto& [ends, link] : bundles_) {
            view_.values.links.push_back(std::move(link));
        }
        return std::move(view_);
    }

private:
    void addSwitch(DeviceIndex device) {
        const NetworkDevice& one = topology_.devices()[device];
        const std::optional<MapLevel> level = levelOf(one.kind);
        if (level && one.node == kNoNode) {
            boxOf_[device] = addBox({.level = *level, .label = one.name}, one.name);
        }
    }

    std::uint32_t addBox(MapBox box, const std::string& name) {
        box.id = static_cast<std::uint32_t>(view_.values.boxes.size());
        box.failed = outage_ && std::ranges::count(outage_->failed, name) > 0;
        view_.boxNames[box.id] = name;
        view_.values.boxes.push_back(std::move(box));
        return view_.values.boxes.back().id;
    }

    [[nodiscard]] bool isDown(LinkIndex link) const {
        return outage_ && std::ranges::binary_search(outage_->down, link);
    }

    [[nodiscard]] std::optional<std::uint32_t> box(DeviceIndex device) const {
        const NetworkDevice& one = topology_.devices()[device];
        if (one.node != kNoNode) {
            return static_cast<std::uint32_t>(one.node);
        }
        const auto found = boxOf_.find(device);
        return found == boxOf_.end() ? std::nullopt : std::optional(found->second);
    }

    void addLink(LinkIndex index) {
        const NetworkLink& link = topology_.links()[index];
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
        bundle.failed += isDown(index) ? link.cables : 0;
        view_.linkNames[bundle.id].push_back(topology_.linkName(index));
    }

    const Topology& topology_;
    const std::optional<OutageEffect>& outage_;
    const std::vector<LinkUse>& uses_;
    NetworkMapView view_;
    std::map<DeviceIndex, std::uint32_t> boxOf_;
    std::map<std::pair<std::uint32_t, std::uint32_t>, MapLink> bundles_;
};

/// Between a GPU and the memory of its host: what is offloaded is copied there, which is not
/// counted among the transfers.
bool isWayToHost(const LinkTier& tier) {
    using enum DeviceKind;
    const auto isOfWay = [](DeviceKind kind) {
        return kind == Gpu || kind == PciSwitch || kind == RootComplex || kind == Socket;
    };
    return tier.from != tier.to && isOfWay(tier.from) && isOfWay(tier.to);
}

/// How many boxes of a level are drawn one by one.
constexpr std::size_t kMostBoxes = 24;

}  // namespace

NetworkMapView networkMap(const TopologyAnswer& answer, const std::vector<LinkUse>& uses) {
    NetworkMapView view = MapWriter(answer, uses).take();
    view.values = aggregated(view.values, kMostBoxes);
    return view;
}

Table linkRows(const TopologyAnswer& answer, const std::vector<LinkUse>& uses, bool offloads) {
    Table table{{{"links"},
                 {"number", Align::Right},
                 {"each, one way", Align::Right},
                 {"together", Align::Right},
                 {"busy in a step", Align::Right},
                 {"the busiest", Align::Right}},
                {}};
    for (const LinkTier& tier : answer.facts.tiers) {
        const LinkUse* use = useOf(uses, tier.from, tier.to);
        const std::string beside = offloads && isWayToHost(tier) ? " and copies" : "";
        table.rows.push_back(
            {std::string(deviceKindName(tier.from)) + " to " +
                 std::string(deviceKindName(tier.to)) + (tier.assumed ? " (assumed)" : ""),
             std::to_string(tier.links),
             shortText(tier.least) + (tier.least == tier.most ? "" : " – " + shortText(tier.most)),
             shortText(tier.together),
             use != nullptr ? percentText(use->mean) + beside : "",
             use != nullptr ? percentText(use->most) + beside : ""});
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
