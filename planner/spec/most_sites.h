#pragma once
#include <cstdint>

namespace fabricast {

/// Sites that the nodes of a cluster may be divided over, in a scenario and in a graph.
inline constexpr std::int64_t kMostSites = 1024;

}  // namespace fabricast
