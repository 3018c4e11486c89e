#pragma once
#include "planner/base/units.h"
#include "planner/spec/edit.h"

#include <string>
#include <vector>

namespace fabricast {

/// From sure to sure. In between what the allocator holds back decides: what is expected fits, or
/// is too much.
enum class Verdict { Fits, Likely, Unlikely, DoesNotFit };

constexpr bool isUnsure(Verdict verdict) {
    return verdict == Verdict::Likely || verdict == Verdict::Unlikely;
}

enum class Bound { GpuMemory, HostMemory, NvmeSpace };

/// A change that would help, and what would then be needed.
struct Fix {
    std::string change{};  ///< for people: "recompute=full"
    Bytes peakAfter{};
    Bytes hostAfter{};  ///< that a node then needs
    Verdict verdict = Verdict::DoesNotFit;
    Verdict onDevice = Verdict::DoesNotFit;  ///< of the GPU's memory alone
    std::string needs{};       ///< of a node, where it is not known: "406 GiB of host memory"
    std::string sideEffect{};  ///< "about a third more compute"
    std::vector<Edit> edits{};
    std::string typed{};  ///< the edits as arguments: "--layout recompute=full"
    std::string
        behind{};  ///< the same, behind the question as typed: "--set layout.recompute=full"
};

/// Why a layout is not feasible: which bound, by how much, and the smallest changes that help.
struct Rejection {
    Bound bound = Bound::GpuMemory;
    Bytes over{};
    std::string where;  ///< "stage 0, at the loss"
    std::vector<Fix> fixes;
};

}  // namespace fabricast
