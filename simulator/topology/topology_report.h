#pragma once
#include "planner/report/table.h"
#include "simulator/network/topology.h"
#include "simulator/topology/topology_facts.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A "fabricast.topology/1" document: every device by node and kind, every link by rate, and what
/// is known of the whole. readTopologyJson reads it back; "facts" is left out there.
///     {"schema": "fabricast.topology/1", "title": "two boxes",
///      "nodes": [{"gpu": ["a/gpu0"], "nic": ["a/nic0"]}, …], "fabric": {"leaf": ["leaf0"]},
///      "links": [{"kind": "network", "bandwidth": "400 Gbps", "between": ["a/nic0 - leaf0"]}, …]}
/// An error where that takes more than the reader takes, 8 MiB or 200,000 values.
Result<std::string> topologyJson(const DescribedTopology& described,
                                 const TopologyFacts& facts,
                                 std::string_view version);

/// Errors have file:line:column.
Result<DescribedTopology> readTopologyJson(std::string_view text, const std::string& source);

// The words of a topology's JSON, for what writes it and what reads it.

/// The list of a node's or the fabric's devices, in the order of DeviceKind.
constexpr std::array<std::string_view, kDeviceKinds> kDeviceKeys = {
    "gpu", "nvswitch", "pci", "root", "cpu", "nic", "leaf", "spine", "core", "wan"};

/// Between the names of a link's ends: "node0/nic0 - leaf0".
constexpr std::string_view kLinkBetween = " - ";

/// What fits a screen: devices, tiers, bisection, the weakest cut, and what a failure does.
std::string topologyText(const TopologyFacts& facts, const Topology& topology);

/// The tiers alone, for Markdown and CSV.
Table tierTable(const TopologyFacts& facts);

/// Links by the kinds of device they join, with the first of each: "8,192 links NIC to leaf".
std::string linksText(const Topology& topology, const std::vector<LinkIndex>& links);

/// "GPU", "PCIe switch": display names.
std::string_view deviceWord(DeviceKind kind);

/// One line of a picture: devices of one kind, or two that share a position.
struct DrawnRow {
    std::vector<DeviceKind> kinds;
    std::vector<DeviceIndex> devices;  ///< those that are shown
    std::int64_t all = 0;              ///< in the whole topology
};

/// What a picture shows of a topology, the network on top: the first node and what its NICs reach,
/// then others, up to a number per row.
std::vector<DrawnRow> drawnRows(const Topology& topology, std::size_t most);

/// For Graphviz: every device and link of a small topology; of a large one the first node and the
/// switches above it.
std::string topologyDot(const DescribedTopology& described, const TopologyFacts& facts);

/// Our own drawing, for a page or a browser: the first node, with the switches above it in summary.
/// The weakest cut is orange, what failed red.
std::string topologySvg(const DescribedTopology& described, const TopologyFacts& facts);

}  // namespace fabricast
