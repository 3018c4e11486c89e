#include "gui/charts/network_map.h"

#include <algorithm>
#include <map>
#include <utility>

namespace fabricast {
namespace {

/// Boxes that are drawn, and for each former id the one that it became.
struct JoinedBoxes {
    std::vector<MapBox> boxes;
    std::map<std::uint32_t, std::uint32_t> became;
};

JoinedBoxes joinedBoxes(const NetworkMapValues& values, std::size_t mostPerPod) {
    using Group = std::pair<std::int32_t, MapLevel>;
    std::map<Group, std::size_t> sizes;
    for (const MapBox& box : values.boxes) {
        ++sizes[{box.pod, box.level}];
    }
    JoinedBoxes joined;
    std::map<Group, std::size_t> seen;
    std::map<Group, std::size_t> restIndex;
    for (const MapBox& box : values.boxes) {
        const Group group{box.pod, box.level};
        const std::size_t place = seen[group]++;
        const bool alone = sizes[group] <= mostPerPod || place + 1 < mostPerPod;
        const auto rest = restIndex.find(group);
        if (alone || rest == restIndex.end()) {
            if (!alone) {
                restIndex[group] = joined.boxes.size();
            }
            joined.boxes.push_back(box);
            joined.became[box.id] = box.id;
            continue;
        }
        MapBox& sum = joined.boxes[rest->second];
        sum.count += box.count;
        sum.label = "+ " + std::to_string(sum.count);
        joined.became[box.id] = sum.id;
    }
    return joined;
}

void joinInto(MapLink& sum, const MapLink& link) {
    const double capacity = sum.capacity + link.capacity;
    sum.load = capacity > 0.0 ? (sum.load * sum.capacity + link.load * link.capacity) / capacity
                              : std::max(sum.load, link.load);
    sum.capacity = capacity;
    sum.count += link.count;
    sum.failed += link.failed;
    if (sum.note != link.note) {
        sum.note.clear();
    }
}

}  // namespace

NetworkMapValues aggregated(const NetworkMapValues& values, std::size_t mostPerPod) {
    JoinedBoxes joined = joinedBoxes(values, std::max<std::size_t>(mostPerPod, 1));
    NetworkMapValues result{.title = values.title, .boxes = std::move(joined.boxes)};
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> places;
    for (MapLink link : values.links) {
        const auto from = joined.became.find(link.from);
        const auto to = joined.became.find(link.to);
        if (from == joined.became.end() || to == joined.became.end()) {
            continue;
        }
        link.from = from->second;
        link.to = to->second;
        const auto key = std::minmax(link.from, link.to);
        const auto [place, isNew] = places.emplace(key, result.links.size());
        if (isNew) {
            result.links.push_back(std::move(link));
        } else {
            joinInto(result.links[place->second], link);
        }
    }
    return result;
}

}  // namespace fabricast
