#pragma once
#include "planner/base/result.h"
#include "planner/io/profile_store.h"
#include "planner/io/scenario_json.h"
#include "planner/load/complete_layout.h"
#include "planner/spec/cluster_spec.h"

#include <string>

namespace fabricast {

/// The cluster that was asked for, and the room it gives: open where nobody said how many.
struct FoundCluster {
    ClusterSpec cluster;
    Room room;
};

/// Looks up the cluster, node or GPU by name and applies nodes, gpus and fabric. A name that is a
/// path is the file of a cluster or node; `folder` is where paths in a scenario start.
Result<FoundCluster> findCluster(const ClusterRequest& request,
                                 const ProfileStore& profiles,
                                 const std::string& folder);

/// The cluster with as many nodes as so many ranks need, where that was open. A part of one node is
/// a node of that many GPUs.
Result<ClusterSpec> withRanks(FoundCluster found, std::int64_t ranks);

}  // namespace fabricast
