#pragma once
#include "planner/base/result.h"
#include "planner/result/sensitivity.h"
#include "planner/whatif/knobs.h"

#include <functional>

namespace fabricast {

/// A scenario forecast anew: its step and its memory.
Result<Outcome> outcomeOf(const Premises& premises);
/// The same of what was forecast already.
Outcome outcomeOf(const StepEstimate& step, const MemoryBreakdown& memory);

/// The best layout under other premises, and how it is typed.
struct SearchedOutcome {
    Outcome outcome;
    std::string layout;
};
using SearchAgain = std::function<Result<SearchedOutcome>(const Premises&)>;

/// Turns every knob a little and to the double, and estimates the scenario anew each time; with
/// `search` also the best layout that there is then.
///     e = -ln(t(k·f) / t(k/f)) / ln(f²)      f a little above 1
Result<Sensitivity> sensitivityOf(const Premises& now, const SearchAgain& search = {});

}  // namespace fabricast
