#pragma once
#include "probes/mpi/rank_group.h"
#include "probes/record/measurement.h"

namespace fabricast::probe {

/// Whether `point` is one of all_reduce, all_gather, reduce_scatter, all_to_all, broadcast and
/// send_recv.
bool isCollective(const Point& point);

/// Measures `all_reduce bytes= ranks= nodes= [stride=] [algorithm=ring|library]`; every member of
/// the group calls. The result is of use on rank 0. Bytes are counted as nccl-tests does: of the
/// whole tensor of an all-gather or a reduce-scatter. Results are checked on every member.
Measurement measureCollective(Wire& wire, const RankGroup& group, const Point& point);

/// Why a point cannot be measured, whatever the group; empty where it can.
std::string collectiveFault(const Point& point, const RankGroup& group);

}  // namespace fabricast::probe
