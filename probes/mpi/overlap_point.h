#pragma once
#include "probes/mpi/rank_group.h"
#include "probes/record/measurement.h"

namespace fabricast::probe {

/// `overlap m= n= k= bytes= ranks=`: products that take half as long again as an all-reduce, with
/// the all-reduce beside them. Facts: `compute` and `transfer`, the seconds of each alone, and
/// `contention`, by how much of the transfer's length the products took longer.
std::string overlapFault(const Point& point, const RankGroup& group);
Measurement measureOverlap(Wire& wire, const RankGroup& group, const Point& point);

}  // namespace fabricast::probe
