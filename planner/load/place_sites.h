#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"
#include "planner/request/scenario_json.h"
#include "planner/spec/cluster_spec.h"

#include <string>
#include <vector>

namespace fabricast {

/// Divides a cluster over the sites that were asked for, and says what that rests on. What of a
/// line reaches messages is the profile of the fabric "wan".
Result<void> placeSites(const ClusterRequest& request,
                        const ProfileStore& profiles,
                        ClusterSpec& cluster,
                        std::vector<std::string>& assumed);

/// Refuses nodes that are not as many at every site, or that no network joins.
Result<void> checkSites(const ClusterSpec& cluster);

/// An error where several nodes have nothing to join them, which names known ones of their GPU that
/// have a network: "-c gb200-nvl72".
Result<void> checkJoined(const ClusterSpec& cluster, const ProfileStore& profiles);

}  // namespace fabricast
