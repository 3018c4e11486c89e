#include "planner/comm/site_tier.h"

#include <algorithm>

namespace fabricast {
namespace {

/// Ranks of one site, of which each has a counterpart at every other.
double membersOf(const GroupShape& shape) {
    return static_cast<double>(insideSite(shape).ranks);
}

}  // namespace

SiteTier siteTier(CollectiveKind kind, const GroupShape& shape) {
    const auto sites = static_cast<double>(shape.sites);
    const auto ranks = static_cast<double>(shape.ranks);
    const double members = membersOf(shape);
    const double part = (sites - 1.0) / sites;
    switch (kind) {
        case CollectiveKind::AllReduce:
            return {.before = CollectiveKind::ReduceScatter,
                    .after = CollectiveKind::AllGather,
                    .share = 2.0 * part,
                    .hops = 2.0 * (sites - 1.0)};
        case CollectiveKind::ReduceScatter:
            return {.before = kind, .share = part, .hops = sites - 1.0};
        case CollectiveKind::AllGather:
            return {.after = kind, .share = part, .hops = sites - 1.0};
        case CollectiveKind::AllToAll:
            return {.before = kind,
                    .inside = members / ranks,
                    .together = true,
                    .share = members * (ranks - members) / ranks,
                    .hops = 1.0};
        case CollectiveKind::Broadcast:
        case CollectiveKind::Reduce:
            return {.before = kind, .share = 1.0, .hops = sites - 1.0};
        case CollectiveKind::SendReceive:
            return {.share = 1.0, .hops = 1.0};
    }
    return {};
}

BytesPerSecond siteRate(const GroupShape& shape, const ClusterLinks& links) {
    const BytesPerSecond way = links.siteBandwidth * (1.0 / static_cast<double>(shape.siteGroups));
    const auto nodes = static_cast<double>(insideSite(shape).nodes);
    return std::min(way, links.nicBandwidth * (shape.nics * nodes));
}

double betweenSites(const SiteTier& tier,
                    double size,
                    const GroupShape& shape,
                    const ClusterLinks& links) {
    return tier.hops * links.siteLatency.count() +
           tier.share * size / siteRate(shape, links).count();
}

}  // namespace fabricast
