#pragma once
#include "probes/mpi/wire.h"
#include "probes/record/point.h"

#include <cstddef>
#include <vector>

namespace fabricast::probe {

/// Some ranks of the job in a ring: every `stride`-th from rank 0 on, or the like from another.
/// A rank outside of all groups has no place in one (`index` is negative).
struct RankGroup {
    std::vector<int> members;  ///< ranks of the job
    int index = -1;            ///< this rank among them

    [[nodiscard]] int size() const { return static_cast<int>(members.size()); }
    [[nodiscard]] bool isMember() const { return index >= 0; }
    [[nodiscard]] int at(int place) const {
        const int n = size();
        return members[static_cast<std::size_t>(((place % n) + n) % n)];
    }
    [[nodiscard]] int next() const { return at(index + 1); }
    [[nodiscard]] int previous() const { return at(index - 1); }
};

/// The group that a point speaks of: `ranks` (all, unless said), `stride` (1) and `nodes` (checked
/// against where the members are). Trouble says why this job has none such.
Answer<RankGroup> groupOf(const Point& point, const Wire& wire);

/// Everybody is in one.
RankGroup wholeGroup(const Wire& wire);

/// No member goes on before all have come.
void meet(Wire& wire, const RankGroup& group);

/// The largest of what the members say; of use on the first member only.
double largest(Wire& wire, const RankGroup& group, double mine);
/// The sum.
double summed(Wire& wire, const RankGroup& group, double mine);

}  // namespace fabricast::probe
