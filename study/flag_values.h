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
/// Whether one value of a flag is a list joined by commas: "tp=8,pp=4". Some are so only where the
/// flag may be typed several times as well.
bool isListFlag(std::string_view flag, bool repeats);

/// The same of the first argument of a command: names of `schema`, codes of `errors`.
std::vector<std::string> valuesOfArgument(std::string_view command, const ProfileStore& store);

}  // namespace fabricast
