#pragma once
#include "planner/estimate/estimate_step.h"
#include "planner/spec/scenario.h"

#include <span>
#include <string_view>

namespace fabricast {

/// What a forecast is made from: a change of any of it gives another forecast.
struct Premises {
    Scenario scenario;
    TimingProfiles timing;
};

enum class KnobKind {
    Speed,  ///< of the cluster: any factor makes sense, and a step only gets shorter
    Room,   ///< of the cluster: more memory changes what fits, not how long it takes
    Batch   ///< part of the question: only whole multiples, and different training
};

/// One thing that could be more, and what that changes.
struct Knob {
    std::string_view key;
    std::string_view title;
    KnobKind kind = KnobKind::Speed;
    void (*scale)(Premises& premises, double factor) = nullptr;
    /// Whether a run has what it scales; nullptr: any has.
    bool (*isThere)(const Scenario& scenario) = nullptr;
};

/// The one list of knobs. Latencies are speeds: twice as fast is half the time.
std::span<const Knob> knobs();

}  // namespace fabricast
