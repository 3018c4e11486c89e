#pragma once
#include "planner/comm/comm_call.h"
#include "planner/stack/rank_groups.h"

#include <cstdint>
#include <vector>

namespace fabricast {

/// One rank sends to another: the share of all that it sends in a call.
struct RankTraffic {
    std::int64_t from = 0;
    std::int64_t to = 0;
    double share = 1.0;
    friend bool operator==(const RankTraffic&, const RankTraffic&) = default;
};

/// How a call's bytes go from rank to rank.
enum class TrafficPattern : std::uint8_t {
    Rings,      ///< the library's rings, which leave a node by each of its members' NICs in turn
    Neighbour,  ///< every rank to the next one, by its own NIC
    ToAll       ///< every rank to every other, equally
};
TrafficPattern patternOf(CommOp op);

/// Senders and receivers of a call over a group. With k members in each of several nodes there are
/// k rings, each with a k-th of the bytes: every one goes through the members of a node but for one
/// link, and on to the next node from where it came in. Ranks are numbered node by node.
///     groupTraffic({0, 1, 2, 3}, TrafficPattern::Rings, 8)   // 0 -> 1 -> 2 -> 3 -> 0, each 3/4
/// Over several sites of `siteRanks` each, rings stay inside, and each member has a ring of its own
/// with its counterparts at the others.
std::vector<RankTraffic> groupTraffic(const RankGroup& group,
                                      TrafficPattern pattern,
                                      std::int64_t nodeRanks,
                                      std::int64_t siteRanks = 0);

}  // namespace fabricast
