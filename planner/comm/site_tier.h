#pragma once
#include "planner/comm/group_shape.h"
#include "planner/spec/collective_kind.h"

#include <optional>

namespace fabricast {

/// This is what a collective over several sites does: hierarchically, so that each byte crosses the
/// line between sites as seldom as it can. Of k ranks at each of s sites
///     all-reduce      scatter inside, all-reduce of a k-th between the sites, gather inside
///     reduce-scatter  scatter inside, then between
///     all-gather      gather between, then inside
///     all-to-all      inside, while what is for other sites crosses
/// A site sends `share` of the collective's size for each group, in `hops` messages one after
/// another.
struct SiteTier {
    std::optional<CollectiveKind> before;  ///< inside a site
    std::optional<CollectiveKind> after;   ///< likewise
    double inside = 1.0;                   ///< of the size, that the collectives inside are of
    bool together = false;                 ///< inside and between at once
    double share = 0.0;
    double hops = 0.0;
};
SiteTier siteTier(CollectiveKind kind, const GroupShape& shape);

/// What a group's ranks at one site send to other sites together: their share of the site's way
/// out, as far as their NICs carry it.
BytesPerSecond siteRate(const GroupShape& shape, const ClusterLinks& links);

/// Seconds between sites: hops · latency + share · size / rate.
double betweenSites(const SiteTier& tier,
                    double size,
                    const GroupShape& shape,
                    const ClusterLinks& links);

}  // namespace fabricast
