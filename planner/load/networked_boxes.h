#pragma once
#include "planner/profiles/profile_store.h"
#include "planner/spec/cluster_spec.h"

namespace fabricast {

/// An error where several nodes have nothing to join them, which names known ones of their GPU that
/// have a network: "-c gb200-nvl72".
Result<void> checkJoined(const ClusterSpec& cluster, const ProfileStore& profiles);

}  // namespace fabricast
