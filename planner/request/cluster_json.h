#pragma once
#include "planner/request/scenario_json.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace fabricast {

/// The part "cluster" of a scenario: a name, or an object.
Result<ClusterRequest> readCluster(const JsonValue& json);

/// The keys of that object.
std::span<const std::string_view> clusterKeys();

/// A whole number from 1 to `most`, or nothing.
Result<std::optional<std::int64_t>> countIn(const JsonValue& object,
                                            std::string_view key,
                                            std::int64_t most);

/// Where the value of a key stands; the object, where it has none.
std::string whereOf(const JsonValue& object, std::string_view key);

}  // namespace fabricast
