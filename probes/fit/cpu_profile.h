#pragma once
#include "planner/base/result.h"
#include "planner/measured/measurements.h"
#include "probes/fit/fit_section.h"
#include "probes/fit/profile_text.h"

#include <string>
#include <vector>

namespace fabricast {

/// What `fabricast-probe-mpi` measured on a CPU cluster, as a folder laid out like
/// hardware_profiles, and what a person wants to see of the fits.
struct CpuProfile {
    std::vector<ProfileText> files;
    std::vector<FitSection> sections;
    std::string report;
};

/// The cluster `name` of as many nodes and ranks a node as the record's job had: each rank is a
/// device ("gpu") of its own, MPI's rings are its collectives, a rank's kernels its fp32 products.
///     FABRICAST_ASSIGN(const MergedMeasurements record, readMeasurements(paths));
///     FABRICAST_ASSIGN(const CpuProfile profile, cpuProfile(record, "lab"));
///     FABRICAST_TRY(writeProfile(profile.files, "my_profiles", {}));
///     // fabricast --profile-dir my_profiles explain -c lab …
Result<CpuProfile> cpuProfile(const MergedMeasurements& record, const std::string& name);

}  // namespace fabricast
