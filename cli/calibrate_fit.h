#pragma once
#include "cli/global_options.h"
#include "planner/io/measurements.h"
#include "planner/io/profile_store.h"
#include "probes/fit/fit_record.h"

#include <string>
#include <vector>

namespace fabricast {

/// What the profile is made from, and where it goes.
struct CalibrateFit {
    std::string folder;  ///< of profiles; empty: nothing is fitted
    RecordFitOptions options;
    std::string topology;  ///< a file that says how the machine is joined; may be empty
};

/// A profile that was written.
struct CalibratedProfile {
    FittedRecord fitted;
    std::vector<std::string> written;  ///< its files
    std::vector<std::string> next;     ///< commands that use it
};

/// Fits what was measured, and writes the profile.
Result<CalibratedProfile> fitCalibration(const ProfileStore& store,
                                         const MergedMeasurements& measured,
                                         const CalibrateFit& fit,
                                         const GlobalOptions& options);

}  // namespace fabricast
