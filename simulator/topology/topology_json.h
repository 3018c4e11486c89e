#pragma once
#include "simulator/topology/topology_facts.h"

#include <string>
#include <string_view>

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

}  // namespace fabricast
