#pragma once
#include "probes/mpi/wire.h"
#include "probes/record/measurement.h"

namespace fabricast::probe {

/// Measures one point; every rank of the job calls with the same. A point that cannot be measured
/// here is refused, by all ranks alike.
Measurement measurePoint(Wire& wire, const Point& point);

}  // namespace fabricast::probe
