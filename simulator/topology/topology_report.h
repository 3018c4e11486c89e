#pragma once
#include "planner/report/table.h"
#include "simulator/topology/topology_facts.h"

#include <string>

namespace fabricast {

/// What fits a screen: devices, tiers, bisection, the weakest cut, and what a failure does.
std::string topologyText(const TopologyFacts& facts, const Topology& topology);

/// The tiers alone, for Markdown and CSV.
Table tierTable(const TopologyFacts& facts);

/// Links by the kinds of device they join, with the first of each: "8,192 links NIC to leaf".
std::string linksText(const Topology& topology, const std::vector<LinkIndex>& links);

/// "GPU", "PCIe switch": display names.
std::string_view deviceWord(DeviceKind kind);

}  // namespace fabricast
