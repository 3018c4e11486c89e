#pragma once
#include "gui/charts/network_map.h"
#include "planner/report/table.h"
#include "simulator/links/link_use.h"
#include "study/topology.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fabricast {

/// A map, and the names of the links and devices that it shows, by the ids of links and boxes.
struct NetworkMapView {
    NetworkMapValues values;
    std::map<std::uint32_t, std::vector<std::string>> linkNames{};
    std::map<std::uint32_t, std::string> boxNames{};
};

/// The network between servers: a box for each server and switch, a link for each bundle of cables,
/// and how loaded links of its class are in a simulated step (none: not known).
NetworkMapView networkMap(const TopologyAnswer& answer, const std::vector<LinkUse>& uses);

/// A row per kind of link: how many, how fast, and how loaded.
Table linkRows(const TopologyAnswer& answer, const std::vector<LinkUse>& uses, bool offloads);

/// Its bisection, and what a single failure would do.
std::string networkHeadline(const TopologyAnswer& answer);

}  // namespace fabricast
