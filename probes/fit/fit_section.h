#pragma once
#include "probes/fit/residuals.h"

#include <string>

namespace fabricast {

/// What became of one section of a profile: how far its fit is from what was measured, or why there
/// is none.
struct FitSection {
    std::string name;      ///< "gemm.bf16"
    ErrorSummary errors;   ///< of the rows held out, or of all where they are few
    std::size_t rows = 0;  ///< fitted
    std::string refused;   ///< empty: it was fitted
};

}  // namespace fabricast
