#include "simulator/links/group_traffic.h"

#include <algorithm>
#include <cstddef>
#include <map>

namespace fabricast {
namespace {

using Members = std::vector<std::int64_t>;

std::vector<Members> byNode(const RankGroup& group, std::int64_t nodeRanks) {
    std::map<std::int64_t, Members> nodes;
    for (const RankId rank : group) {
        nodes[rank.index() / nodeRanks].push_back(rank.index());
    }
    std::vector<Members> members;
    for (auto& [node, ranks] : nodes) {
        members.push_back(std::move(ranks));
    }
    return members;
}

/// Around the members of one node. If rings continue to other nodes, each leaves out one link.
void addInside(const Members& members, bool alone, std::vector<RankTraffic>& traffic) {
    const std::size_t count = members.size();
    const double left = alone ? 1.0 : 1.0 - 1.0 / static_cast<double>(count);
    for (std::size_t i = 0; count > 1 && i < count; ++i) {
        traffic.push_back({members[i], members[(i + 1) % count], left});
    }
}

void addRings(const RankGroup& group, std::int64_t nodeRanks, std::vector<RankTraffic>& traffic) {
    const std::vector<Members> nodes = byNode(group, nodeRanks);
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        addInside(nodes[node], nodes.size() == 1, traffic);
        if (nodes.size() == 1) {
            return;
        }
        // As many rings as the smaller of the two nodes has members.
        const Members& next = nodes[(node + 1) % nodes.size()];
        const std::size_t rings = std::min(nodes[node].size(), next.size());
        for (std::size_t i = 0; i < rings; ++i) {
            traffic.push_back({nodes[node][i], next[i], 1.0 / static_cast<double>(rings)});
        }
    }
}

/// Of what k members at each of s sites send, a member's share between them: in reduce-scatters,
/// gathers and all-reduces alike, (s-1)/s of a k-th, to (k-1)/k inside.
double shareBetween(std::size_t sites, std::size_t members) {
    const double between = 1.0 - 1.0 / static_cast<double>(sites);
    return between / (static_cast<double>(members) - 1.0 + between);
}

/// Members of a site beyond those of the next have no counterpart there.
void addHierarchy(const std::vector<Members>& sites,
                  std::int64_t nodeRanks,
                  std::vector<RankTraffic>& traffic) {
    for (std::size_t site = 0; site < sites.size(); ++site) {
        const Members& here = sites[site];
        const Members& next = sites[(site + 1) % sites.size()];
        const double between = shareBetween(sites.size(), here.size());
        RankGroup inside;
        for (std::size_t i = 0; i < here.size(); ++i) {
            inside.emplace_back(here[i]);
            traffic.push_back({here[i], next[i % next.size()], between});
        }
        std::vector<RankTraffic> rings;
        if (inside.size() > 1) {
            addRings(inside, nodeRanks, rings);
        }
        for (const RankTraffic& one : rings) {
            traffic.push_back({one.from, one.to, one.share * (1.0 - between)});
        }
    }
}

}  // namespace

TrafficPattern patternOf(CommOp op) {
    switch (op) {
        case CommOp::AllToAll:
        case CommOp::AllToAllList:
            return TrafficPattern::ToAll;
        case CommOp::Send:
        case CommOp::Recv:
            return TrafficPattern::Neighbour;
        default:
            return TrafficPattern::Rings;
    }
}

std::vector<RankTraffic> groupTraffic(const RankGroup& group,
                                      TrafficPattern pattern,
                                      std::int64_t nodeRanks,
                                      std::int64_t siteRanks) {
    std::vector<RankTraffic> traffic;
    const std::size_t count = group.size();
    if (count < 2) {
        return traffic;
    }
    if (pattern == TrafficPattern::Rings && siteRanks > 0) {
        if (const std::vector<Members> sites = byNode(group, siteRanks); sites.size() > 1) {
            addHierarchy(sites, nodeRanks, traffic);
            return traffic;
        }
    }
    if (pattern == TrafficPattern::Rings) {
        addRings(group, nodeRanks, traffic);
        return traffic;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (pattern == TrafficPattern::Neighbour) {
            traffic.push_back({group[i].index(), group[(i + 1) % count].index(), 1.0});
            continue;
        }
        for (std::size_t k = 1; k < count; ++k) {
            traffic.push_back({group[i].index(),
                               group[(i + k) % count].index(),
                               1.0 / static_cast<double>(count - 1)});
        }
    }
    return traffic;
}

}  // namespace fabricast
