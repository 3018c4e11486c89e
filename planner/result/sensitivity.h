#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/step_estimate.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// The forecast of one scenario, in a few numbers.
struct Outcome {
    Seconds step;
    double tokensPerGpuSecond = 0.0;
    Bytes peak;
    Verdict verdict = Verdict::Fits;
};

/// What one thing of the cluster or the batch does to the step.
struct KnobEffect {
    std::string_view key;    ///< in JSON: "network_bandwidth"
    std::string_view title;  ///< "network between nodes"
    /// By how many percent the step gets shorter for each percent that the knob is faster; empty
    /// for what has only whole steps.
    std::optional<double> elasticity;
    std::optional<Outcome> twice;  ///< twice as much of it, the layout held
    std::string whyNot;            ///< where there is none
    /// Twice as much of it, and the best layout for that: where layouts were searched.
    std::optional<Outcome> searched;
    std::string searchedLayout;  ///< where it is another one
    bool isCut = false;          ///< the search ended early: a better one may exist
};

/// This is the answer to "what would make it faster, and how much?"
struct Sensitivity {
    Outcome now;
    std::vector<KnobEffect> knobs;  ///< in the order of the list of knobs
    bool isSearched = false;
    std::string notSearched;  ///< why some knobs have no new search
};

}  // namespace fabricast
