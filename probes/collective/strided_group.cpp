#include "probes/collective/strided_group.h"

#include "probes/record/point.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <set>

namespace fabricast::probe {

namespace {

/// The first rank of a group: they lie side by side, `stride` of them interleaved.
std::int64_t firstOf(const StridedGroup& shape, int group) {
    const std::int64_t block = std::int64_t{shape.ranks} * shape.stride;
    return group / shape.stride * block + group % shape.stride;
}

std::int64_t lastOf(const StridedGroup& shape, int group) {
    return firstOf(shape, group) + std::int64_t{shape.ranks - 1} * shape.stride;
}

}  // namespace

std::optional<GroupSeat> seatOf(const StridedGroup& shape, int world, int rank) {
    const std::int64_t block = std::int64_t{shape.ranks} * shape.stride;
    const auto group = static_cast<int>(rank / block * shape.stride + rank % block % shape.stride);
    if (lastOf(shape, group) >= world) {
        return std::nullopt;
    }
    return GroupSeat{.group = group, .place = static_cast<int>(rank % block / shape.stride)};
}

int groupsIn(const StridedGroup& shape, int world) {
    int groups = 0;
    for (int rank = 0; rank < world; ++rank) {
        const std::optional<GroupSeat> seat = seatOf(shape, world, rank);
        groups += seat && seat->place == 0 ? 1 : 0;
    }
    return groups;
}

std::vector<int> membersOf(const StridedGroup& shape, int group) {
    std::vector<int> members;
    for (int place = 0; place < shape.ranks; ++place) {
        members.push_back(static_cast<int>(firstOf(shape, group)) + place * shape.stride);
    }
    return members;
}

int nodesSpanned(const std::vector<int>& members, const std::vector<std::string>& hostOfRank) {
    std::set<std::string> hosts;
    for (const int rank : members) {
        hosts.insert(hostOfRank.at(static_cast<std::size_t>(rank)));
    }
    return static_cast<int>(hosts.size());
}

int nodesSpanned(const StridedGroup& shape, int ranksPerNode) {
    std::set<int> nodes;
    for (const int rank : membersOf(shape, 0)) {
        nodes.insert(rank / ranksPerNode);
    }
    return static_cast<int>(nodes.size());
}

int ranksPerHost(const std::vector<std::string>& hostOfRank) {
    return static_cast<int>(std::count(hostOfRank.begin(), hostOfRank.end(), hostOfRank.at(0)));
}

Answer<std::vector<StridedGroup>> shapesOfAxes(std::string_view axes, int world) {
    std::vector<StridedGroup> shapes;
    std::int64_t inner = 1;
    for (std::size_t at = 0; at <= axes.size();) {
        const std::size_t end = std::min(axes.find(',', at), axes.size());
        const std::string_view axis = axes.substr(at, end - at);
        const std::size_t equals = axis.find('=');
        const Answer<std::int64_t> ranks = equals == std::string_view::npos || equals == 0
                                               ? Answer<std::int64_t>(Trouble{""})
                                               : parseWhole(axis.substr(equals + 1));
        if (!ranks || *ranks < 1) {
            return Trouble{"'" + std::string(axis) +
                           "' is no axis: write tp=8,dp=4, the innermost first"};
        }
        if (*ranks > world || inner * *ranks > world) {
            return Trouble{"'" + std::string(axes) + "' needs more ranks than the " +
                           std::to_string(world) + " that there are"};
        }
        const StridedGroup shape{static_cast<int>(*ranks), static_cast<int>(inner)};
        // An axis of one communicates nothing.
        if (*ranks > 1 && std::find(shapes.begin(), shapes.end(), shape) == shapes.end()) {
            shapes.push_back(shape);
        }
        inner *= *ranks;
        at = end + 1;
    }
    if (shapes.empty()) {
        return Trouble{"'" + std::string(axes) + "' has no axis of more than one rank"};
    }
    return shapes;
}

}  // namespace fabricast::probe
