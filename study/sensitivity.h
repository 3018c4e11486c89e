#pragma once
#include "planner/base/result.h"
#include "planner/result/sensitivity.h"
#include "study/knobs.h"

#include <cstddef>
#include <functional>

namespace fabricast {

/// A new forecast of a scenario: its step and its memory.
Result<Outcome> outcomeOf(const Premises& premises);
/// The same of what was forecast already.
Outcome outcomeOf(const StepEstimate& step, const MemoryBreakdown& memory);

/// The best layout under other premises, and how it is typed.
struct SearchedOutcome {
    Outcome outcome;
    std::string layout;
};
/// The premises with one knob turned.
using Turn = std::function<Premises(const Premises&)>;
/// Searches the question again with its own premises turned like that.
using SearchAgain = std::function<Result<SearchedOutcome>(const Turn&)>;

/// Turns every knob a little and to the double, and estimates the scenario again each time; with
/// `search`, which several threads may ask at a time, also the best layout that there is then.
///     e = -ln(t(k·f) / t(k/f)) / ln(f²)      f a little above 1
Result<Sensitivity> sensitivityOf(const Premises& now,
                                  std::size_t threads = 1,
                                  const SearchAgain& search = {});

}  // namespace fabricast
