#pragma once
#include "probes/record/point.h"

namespace fabricast::probe {

/// Whether the MPI probe measures such a thing, with settings that it has, whose numbers are
/// numbers: what rank 0 finds out before it joins the others. What only this job or this machine
/// cannot do, a group of more ranks or a sum in bf16, is found out point by point.
Done checkMpiPoint(const Point& point);

}  // namespace fabricast::probe
