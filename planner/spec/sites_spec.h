#pragma once
#include "planner/base/units.h"

#include <cstdint>

namespace fabricast {

/// The places that a cluster's nodes stand in, and the line between them. Each site has its own way
/// out, which all its GPUs share.
///     cluster.sites = {.count = 2, .rate = wan, .efficiency = 0.94, .latency = 10 ms};
struct SitesSpec {
    std::int64_t count = 1;
    BytesPerSecond rate{};    ///< line rate of one site to the others, one way
    double efficiency = 1.0;  ///< of it that large messages reach
    Seconds latency{};        ///< from one site to another

    [[nodiscard]] BytesPerSecond sustained() const { return rate * efficiency; }

    friend bool operator==(const SitesSpec&, const SitesSpec&) = default;
};

/// Sites that the nodes of a cluster may be divided over, in a scenario and in a graph.
inline constexpr std::int64_t kMostSites = 1024;

}  // namespace fabricast
