#pragma once
#include "gui/charts/network_map.h"
#include "planner/report/table.h"
#include "simulator/links/link_use.h"
#include "study/topology.h"

#include <string>
#include <vector>

namespace fabricast {

/// The network between servers: a box for each server and switch, a link for each bundle of cables,
/// and how loaded links of its class are in a simulated step (none: not known).
NetworkMapValues networkMap(const TopologyAnswer& answer, const std::vector<LinkUse>& uses);

/// A row per kind of link: how many, how fast, and how loaded.
Table linkRows(const TopologyAnswer& answer, const std::vector<LinkUse>& uses);

/// Its bisection, and what a single failure would do.
std::string networkHeadline(const TopologyAnswer& answer);

}  // namespace fabricast
