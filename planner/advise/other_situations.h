#pragma once
#include "planner/advise/advice_task.h"
#include "planner/whatif/knobs.h"

#include <optional>
#include <span>
#include <string_view>

namespace fabricast {

/// One thing about the question that could be otherwise.
struct OtherSituation {
    std::string_view change;  ///< "twice the GPUs"
    /// False where it makes no sense here: half of one GPU, a network that nobody uses.
    bool (*apply)(Premises& premises) = nullptr;
    bool whereItFits = true;  ///< asked where something is advised; else where nothing fits
    /// Applied up to so many times, until something fits: "8 times " and `of`.
    int most = 1;
    std::string_view of{};
};

/// The one list of what advice is asked about again.
std::span<const OtherSituation> otherSituations();

}  // namespace fabricast
