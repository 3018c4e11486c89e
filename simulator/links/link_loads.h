#pragma once
#include "simulator/links/group_traffic.h"
#include "simulator/network/router.h"

#include <vector>

namespace fabricast {

/// This is what traffic between ranks puts on the links of a topology, rank r being its r-th GPU.
///     LinkLoads loads(topology);
///     for (const ResourceUse use : loads.of(traffic)) { … use.share bytes on use.resource … }
class LinkLoads {
public:
    explicit LinkLoads(const Topology& topology);

    /// Bytes on each link, one way, for every byte that each rank sends; in order of the links.
    /// Equal ways between switches carry equal parts. Every pair must have a way.
    std::vector<ResourceUse> of(const std::vector<RankTraffic>& traffic);

private:
    const Topology& topology_;
    Router router_;
    std::vector<double> sums_;  ///< by resource
    std::vector<ResourceIndex> touched_;
};

}  // namespace fabricast
