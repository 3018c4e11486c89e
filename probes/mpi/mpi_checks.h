#pragma once
#include "probes/mpi/rank_group.h"
#include "probes/record/point.h"
#include "probes/record/statistics.h"

#include <functional>
#include <string>

namespace fabricast::probe {

/// Whether the MPI probe measures such a thing, with settings that it has, whose numbers are
/// numbers: what rank 0 finds out before it joins the others. What only this job or this machine
/// cannot do, a group of more ranks or a sum in bf16, is found out point by point.
Done checkMpiPoint(const Point& point);

/// Looks until something is there: without pause for the first microseconds, then sleeping ever
/// longer between two looks.
void await(const std::function<bool()>& there);

/// While one of these lives, the process may not wait longer than so many seconds for other ranks:
/// then it says what it waited for and ends with kEnvironment, upon which mpirun ends the others.
/// A wait inside MPI cannot be called off in any other way. They nest; the innermost counts.
class Deadline {
public:
    Deadline(unsigned seconds, const std::string& waitedFor);
    ~Deadline();
    Deadline(const Deadline&) = delete;
    Deadline& operator=(const Deadline&) = delete;

private:
    std::string outerText_;
    unsigned outerSeconds_ = 0;
};

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
