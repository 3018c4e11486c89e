#pragma once
#include "planner/base/result.h"
#include "planner/load/load_question.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/sites_spec.h"
#include "simulator/network/cluster_topology.h"
#include "simulator/topology/topology_facts.h"
#include "study/workbench.h"

#include <string>
#include <vector>

namespace fabricast {

/// The links of a cluster, or of a file; exactly one of both is named.
struct TopologyAsk {
    ClusterRequest cluster;
    Folders folders;   ///< where the paths in `cluster` start
    std::string file;  ///< NCCL's XML, our JSON, or `nvidia-smi topo -m`
    std::string gpu;   ///< of an nvidia-smi file
    TopologyOptions options;
    std::vector<std::string> failed;  ///< links or devices that are down
};

struct TopologyAnswer {
    DescribedTopology described;
    TopologyFacts facts;
};

/// Tiers, bisection, and what a failure does.
Result<TopologyAnswer> topology(const TopologyAsk& ask, const Workbench& bench);

}  // namespace fabricast
