#pragma once
#include "planner/base/units.h"

#include <string>
#include <vector>

namespace fabricast {

enum class Bound { GpuMemory, HostMemory, NvmeSpace };

/// A change that would help, and what would then be needed.
struct Fix {
    std::string change;  ///< as it is typed: "recompute=full"
    Bytes peakAfter{};
    bool fits = false;
    std::string sideEffect;  ///< "about a third more compute"
};

/// Why a layout is not feasible: which bound, by how much, and the smallest changes that help.
struct Rejection {
    Bound bound = Bound::GpuMemory;
    Bytes over{};
    std::string where;  ///< "stage 0, at the loss"
    std::vector<Fix> fixes;
};

}  // namespace fabricast
