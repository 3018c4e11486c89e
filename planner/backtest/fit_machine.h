#pragma once
#include "planner/backtest/run_catalog.h"
#include "planner/estimate/estimate_step.h"
#include "planner/evidence/machine_correction.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// The factors on a machine's clock and network with which forecasts of its runs are nearest to
/// what was measured: the least sum of |ln(measured / forecast)|, which a few odd runs do not move.
/// The network's is fitted only where at least five runs feel it. Refused: runs of several GPUs,
/// fewer than eight that can be forecast, a factor at its bound, and factors that do not help.
Result<MachineCorrection> fitMachine(const std::vector<PublishedRun>& runs,
                                     const RunCatalog& catalog,
                                     const TimingProfiles& profiles,
                                     std::size_t threads);

}  // namespace fabricast
