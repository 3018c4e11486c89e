#pragma once
#include "cli/calibrate_fit.h"
#include "cli/calibrate_plan.h"
#include "cli/calibrate_report.h"
#include "cli/command.h"

namespace fabricast {

/// Runs the probes and fits what they wrote. Whatever was measured is shown, also where a probe
/// failed or nothing could be fitted; the code says so. Ctrl-C keeps the records and fits nothing.
Result<Answer> measureAndFit(const CalibrateRequest& request,
                             const ProfileStore& store,
                             CalibrateFit fit,
                             const GlobalOptions& options);

/// Fits what a report has measured, where a folder says so, and tells all. Of records that were
/// only read, an error is all there is to say.
Result<Answer> reportCalibration(const ProfileStore& store,
                                 CalibrationReport report,
                                 const CalibrateFit& fit,
                                 const GlobalOptions& options,
                                 Answer answer);

/// What would be measured.
Result<Answer> dryCalibration(const CalibrateRequest& request, const GlobalOptions& options);

}  // namespace fabricast
