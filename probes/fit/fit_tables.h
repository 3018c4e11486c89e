#pragma once
#include "planner/base/result.h"
#include "planner/spec/kernel_profile.h"
#include "probes/fit/fit_gemm.h"
#include "probes/fit/measured_tables.h"
#include "probes/fit/residuals.h"

#include <span>
#include <string>
#include <vector>

namespace fabricast {

/// Fits what experts' multiplies cost over the dense ones: from training's three passes where they
/// were measured, else the forward factor from whole inference layers. `host` is how much slower
/// the measuring host computes than the profile says.
Result<Fitted<GroupedFit>> fitGrouped(const KernelProfile& kernels,
                                      const std::vector<MeasuredExperts>& rows,
                                      double host);

/// Fits the launch and the share of the bandwidth of one operation. Sizes that the L2 cache holds
/// are not for it: rows below `leastBytes` are left out.
Result<Fitted<MemoryFit>> fitMemory(const KernelProfile& kernels,
                                    MemoryOp op,
                                    const std::vector<MeasuredMemory>& rows,
                                    double leastBytes);

/// What became of one section of a profile: how far its fit is from what was measured, or why there
/// is none.
struct FitSection {
    std::string name;      ///< "gemm.bf16"
    ErrorSummary errors;   ///< of the rows held out, or of all where they are few
    std::size_t rows = 0;  ///< fitted
    std::string refused;   ///< empty: it was fitted
};

/// fabricast-fit as a function: what it was told, and what it prints.
struct FitAnswer {
    std::string profile;  ///< JSON; empty where it was written to a file
    std::string report;
};

Result<FitAnswer> runFit(std::span<const std::string> arguments);

/// `fabricast-fit record …`: the report, once the files are written.
Result<FitAnswer> runRecordFit(std::span<const std::string> arguments);

/// What `fabricast-fit --help` prints.
std::string_view fitHelp();

}  // namespace fabricast
