#pragma once
#include "cli/calibrate_fit.h"
#include "cli/calibrate_plan.h"

namespace fabricast {

/// What can be known to fail before minutes of measuring: places that cannot be written, profiles
/// that are not there, a topology that cannot be read.
Result<void> checkCalibration(const CalibrateRequest& request,
                              const ProfileStore& store,
                              const CalibrateFit& fit,
                              const GlobalOptions& options);

/// --hosts, --gpus and --ranks, against the machine as far as it is known.
Result<void> checkAgainstMachine(const CalibrateRequest& request, const MachineInventory& machine);

}  // namespace fabricast
