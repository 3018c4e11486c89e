#include "probes/mpi/rank_group.h"

#include <algorithm>
#include <set>

namespace fabricast::probe {

namespace {

int nodesSpanned(const RankGroup& group, const Wire& wire) {
    std::set<int> nodes;
    for (const int member : group.members) {
        nodes.insert(wire.nodes()[static_cast<std::size_t>(member)]);
    }
    return static_cast<int>(nodes.size());
}

Answer<std::int64_t> wholeOr(const Point& point,
                             const std::string& name,
                             std::int64_t least,
                             std::int64_t otherwise) {
    return point.settings.contains(name) ? wholeOf(point, name, least)
                                         : Answer<std::int64_t>(otherwise);
}

/// What every member says, on the first one.
template <class Join>
double joined(Wire& wire, const RankGroup& group, double mine, const Join& join) {
    if (group.index != 0) {
        wire.sendNumber(group.at(0), mine);
        return mine;
    }
    for (int member = 1; member < group.size(); ++member) {
        mine = join(mine, wire.receiveNumber(group.at(member)));
    }
    return mine;
}

}  // namespace

Answer<RankGroup> groupOf(const Point& point, const Wire& wire) {
    const Answer<std::int64_t> ranks = wholeOr(point, "ranks", 1, wire.size());
    const Answer<std::int64_t> stride = wholeOr(point, "stride", 1, 1);
    const Answer<std::int64_t> nodes = wholeOr(point, "nodes", 1, 0);
    for (const Answer<std::int64_t>* setting : {&ranks, &stride, &nodes}) {
        if (!*setting) {
            return setting->trouble();
        }
    }
    // Compared before they are multiplied: either may be as large as it likes.
    if (*ranks > wire.size() || *stride > wire.size() || (*ranks - 1) * *stride >= wire.size()) {
        return Trouble{"a group of " + std::to_string(*ranks) + " ranks with stride " +
                       std::to_string(*stride) + " does not fit a job of " +
                       std::to_string(wire.size()) + ": start more with mpirun -np"};
    }
    RankGroup group;
    for (std::int64_t member = 0; member < *ranks; ++member) {
        group.members.push_back(static_cast<int>(member * *stride));
    }
    const auto own = std::ranges::find(group.members, wire.rank());
    group.index = own == group.members.end() ? -1 : static_cast<int>(own - group.members.begin());
    const int spanned = nodesSpanned(group, wire);
    if (*nodes != 0 && *nodes != spanned) {
        return Trouble{"these " + std::to_string(*ranks) + " ranks are on " +
                       std::to_string(spanned) + (spanned == 1 ? " node" : " nodes") + ", not " +
                       std::to_string(*nodes) + ": change ranks=, stride= or mpirun's --map-by"};
    }
    return group;
}

RankGroup wholeGroup(const Wire& wire) {
    RankGroup group;
    for (int rank = 0; rank < wire.size(); ++rank) {
        group.members.push_back(rank);
    }
    group.index = wire.rank();
    return group;
}

void meet(Wire& wire, const RankGroup& group) {
    // After step s everybody has heard, directly or not, of the 2^s before it.
    const std::vector<float> word(1, 0.0F);
    std::vector<float> heard(1);
    for (int step = 1; step < group.size(); step *= 2) {
        wire.exchange(group.at(group.index + step), word, group.at(group.index - step), heard);
    }
}

double largest(Wire& wire, const RankGroup& group, double mine) {
    return joined(wire, group, mine, [](double a, double b) { return std::max(a, b); });
}

double summed(Wire& wire, const RankGroup& group, double mine) {
    return joined(wire, group, mine, [](double a, double b) { return a + b; });
}

}  // namespace fabricast::probe
