#pragma once
#include "planner/base/result.h"
#include "planner/spec/cluster_spec.h"

namespace fabricast {

/// Whether its nodes have NICs and a network of a known rate.
bool hasNetwork(const ClusterSpec& cluster);

/// Refuses GPUs that nothing joins: several nodes, or NVLink domains, without a network.
Result<void> checkNetwork(const ClusterSpec& cluster);

}  // namespace fabricast
