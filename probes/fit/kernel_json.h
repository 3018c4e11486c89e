#pragma once
#include "probes/fit/fit_kernels.h"

#include <string>

namespace fabricast {

/// The profile as a file of hardware_profiles/kernels. Sections that were not fitted are "assumed",
/// with a note that says from whom.
std::string kernelJson(const FittedKernels& fitted, const std::string& title);

}  // namespace fabricast
