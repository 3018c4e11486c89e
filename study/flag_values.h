#pragma once
#include "planner/base/result.h"
#include "planner/profiles/profile_store.h"

#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The values of a flag that a list has: models of --model, clusters and nodes of --cluster, keys
/// of --layout ("tp="). Nothing where any number or file may be one.
std::vector<std::string> valuesOfFlag(std::string_view flag, const ProfileStore& store);

}  // namespace fabricast
