#pragma once
#include "planner/base/result.h"
#include "planner/estimate/estimate_step.h"
#include "planner/result/sensitivity.h"
#include "planner/spec/scenario.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
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

/// A new forecast of a scenario: its step and its memory.
Result<Outcome> outcomeOf(const Premises& premises);
/// The same of what was forecast already.
Outcome outcomeOf(const StepEstimate& step, const MemoryBreakdown& memory);

/// The best layout under other premises, and how it is typed; empty: the one that is held.
struct SearchedOutcome {
    Outcome outcome;
    std::string layout;
    bool isCut = false;  ///< the search ended early
};
/// The premises with one knob turned.
using Turn = std::function<Premises(const Premises&)>;
/// Searches the question again with its own premises turned like that; `held` is what comes of them
/// with the layout held, if anything.
using SearchAgain =
    std::function<Result<SearchedOutcome>(const Turn&, const std::optional<Outcome>& held)>;

/// Turns every knob a little and to the double, and estimates the scenario again each time.
///     e = -ln(t(k·f) / t(k/f)) / ln(f²)      f a little above 1
Result<Sensitivity> sensitivityOf(const Premises& now, std::size_t threads = 1);

/// Adds the best layout that there is with a knob turned to the double: for so many knobs, memory's
/// size first, whose effect nothing else shows, then those that do most with the layout held.
/// Several threads may ask `search` at a time.
Result<void> addSearches(Sensitivity& sensitivity,
                         const SearchAgain& search,
                         std::size_t most,
                         std::size_t threads);

/// What was searched beside the best layout, `layout`, put beside one that is held: the best layout
/// with a knob turned is the same for both.
Sensitivity withSearchesOf(Sensitivity held, const Sensitivity& best, const std::string& layout);

}  // namespace fabricast
