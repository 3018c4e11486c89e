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

/// The answer to somebody who measured: what, with which spread, what was fitted from it with which
/// residuals, and how the profile is used.
Result<std::string> calibrateAnswer(const ProfileStore& store,
                                    const std::vector<std::string>& records,
                                    const MergedMeasurements& measured,
                                    const CalibrateFit& fit,
                                    const GlobalOptions& options);

}  // namespace fabricast
