#pragma once
#include "planner/base/result.h"
#include "planner/measured/measurements.h"
#include "probes/fit/fit_kernels.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/measured_tables.h"
#include "probes/fit/profile_text.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// The kernel profile of one rank of a CPU cluster, from its points gemm, attention, memory and
/// adam. A rank is a device with one multiprocessor: its products take
///     flop · (k + prologue_depth) / k / (peak · efficiency) + launch
/// or what their bytes take. Needs five products or more and a `memory op=copy`; sections that
/// nobody measured are as others', and say so.
Result<FittedKernels> fitCpuKernels(std::span<const RecordedPoint> points,
                                    const std::string& name,
                                    const std::string& from);

/// The best rate of the products in fp32.
FlopsPerSecond bestRate(std::span<const RecordedPoint> points);

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

/// What a record of a CPU's ranks says of their kernels: the points gemm, attention, memory and
/// adam, those that were refused or wrong left out.
struct CpuRows {
    std::vector<MeasuredGemm> products;
    std::vector<MeasuredAttention> attention;
    std::vector<MeasuredMemory> memory;
    BytesPerSecond copyRate{};  ///< of the largest copy
};

/// An error: a point that does not say what it is.
Result<CpuRows> cpuRows(std::span<const RecordedPoint> points);

/// Of backward over forward attention at the same shape; 0 where there is no such pair.
double backwardRatio(const std::vector<MeasuredAttention>& rows);

}  // namespace fabricast
