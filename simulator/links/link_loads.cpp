#include "simulator/links/link_loads.h"

#include "planner/base/check.h"

#include <algorithm>

namespace fabricast {

LinkLoads::LinkLoads(const Topology& topology)
    : topology_(topology), router_(topology), sums_(topology.links().size() * 2) {}

std::vector<ResourceUse> LinkLoads::of(const std::vector<RankTraffic>& traffic) {
    const auto gpus = topology_.gpus();
    for (const RankTraffic& one : traffic) {
        const auto route = router_.route(gpus[static_cast<std::size_t>(one.from)],
                                         gpus[static_cast<std::size_t>(one.to)],
                                         {.spread = Spread::Evenly});
        FABRICAST_CHECK(route.has_value());
        for (const ResourceUse use : route->uses) {
            if (sums_[use.resource] == 0.0) {
                touched_.push_back(use.resource);
            }
            sums_[use.resource] += use.share * one.share;
        }
    }
    std::ranges::sort(touched_);
    std::vector<ResourceUse> loads;
    for (const ResourceIndex resource : touched_) {
        loads.push_back({resource, sums_[resource]});
        sums_[resource] = 0.0;
    }
    touched_.clear();
    return loads;
}

}  // namespace fabricast
