#pragma once
#include "planner/profiles/profile_store.h"
#include "planner/spec/cluster_spec.h"

#include <string>
#include <vector>

namespace fabricast {

// What in a profile contradicts something else in it or in what it names; each a sentence. None of
// it stops a profile from being read: sources do contradict each other.

std::vector<std::string> contradictionsOf(const GpuSpec& gpu);
std::vector<std::string> contradictionsOf(const NodeSpec& node, const ProfileStore& store);
std::vector<std::string> contradictionsOf(const FabricSpec& fabric);
std::vector<std::string> contradictionsOf(const ClusterSpec& cluster);

}  // namespace fabricast
