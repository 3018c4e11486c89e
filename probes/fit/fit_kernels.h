#pragma once
#include "planner/base/result.h"
#include "planner/spec/kernel_profile.h"
#include "probes/fit/fit_tables.h"
#include "probes/fit/measured_tables.h"

#include <map>
#include <string>
#include <vector>

namespace fabricast {

struct FitOptions {
    std::string source;             ///< only rows whose source begins with this; empty: all
    std::string from;               ///< where the measurements come from, for the profile
    double leastMemoryBytes = 0.0;  ///< smaller operations stay in the cache: not fitted
    bool scaleFew = false;  ///< products too few for a whole fit scale the one that is known
};

/// The name of a ratio among the sections that were fitted.
std::string backwardSection(const BackwardRatio& ratio);

/// A profile whose measured sections are fitted and whose others stay as they were, with what a
/// person wants to see of it.
struct FittedKernels {
    KernelProfile kernels;
    std::map<std::string, std::size_t> rows;  ///< by section ("gemm.bf16"): those fitted
    std::vector<FitSection> sections;         ///< those fitted, and those refused
    std::string from;                         ///< of these sections
    std::string others{};  ///< whose numbers the other sections have; empty: they are assumed
    std::string report;    ///< residuals, and why a section was not fitted
};

/// Fits all that the tables measured of the GPU that `start` is of. Refused sections keep their
/// numbers, and the report says why; an error, where nothing could be fitted.
Result<FittedKernels> fitKernels(const KernelProfile& start,
                                 const MeasuredTables& tables,
                                 const FitOptions& options);

}  // namespace fabricast
