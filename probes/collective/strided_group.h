#pragma once
#include "probes/record/answer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast::probe {

/// Ranks that work together: `ranks` of them, `stride` apart. A tensor-parallel group is {8, 1}, a
/// data-parallel one across it {4, 8}. All groups of a shape that the world holds work at once, as
/// they do in training.
struct StridedGroup {
    int ranks = 1;
    int stride = 1;

    friend bool operator==(const StridedGroup&, const StridedGroup&) = default;
};

/// Where one rank sits.
struct GroupSeat {
    int group = 0;
    int place = 0;  ///< in the group, from 0
};

/// Its seat; none where its group would reach beyond the world.
std::optional<GroupSeat> seatOf(const StridedGroup& shape, int world, int rank);
/// How many whole groups the world holds.
int groupsIn(const StridedGroup& shape, int world);
/// The ranks of one group in the order of their places.
std::vector<int> membersOf(const StridedGroup& shape, int group);

/// On how many hosts these ranks are.
int nodesSpanned(const std::vector<int>& members, const std::vector<std::string>& hostOfRank);
/// The same for a first group where each host has so many ranks.
int nodesSpanned(const StridedGroup& shape, int ranksPerNode);
/// How many ranks the first rank's host has.
int ranksPerHost(const std::vector<std::string>& hostOfRank);

/// "tp=8,dp=4": one shape per axis, the innermost first; 32 ranks in all.
Answer<std::vector<StridedGroup>> shapesOfAxes(std::string_view axes, int world);

}  // namespace fabricast::probe
