#pragma once
#include "machine/calibration_plan.h"
#include "machine/fit_calibration.h"

namespace fabricast {

// What can be known to fail before minutes of measuring.

/// Time limits, and places that cannot be written.
Result<void> checkMeasuring(const MeasureAsk& ask);

/// Hosts, GPUs and ranks against the machine, as far as it is known.
Result<void> checkAgainstMachine(const MeasureAsk& ask, const MachineInventory& machine);

/// Profiles that do not exist, a folder that cannot be written, a topology that cannot be read.
Result<void> checkFit(const FitAsk& ask, const ProfileStore& store);

/// A topology is kept with a profile, so there must be one.
Result<void> checkTopology(const FitAsk& ask);

}  // namespace fabricast
