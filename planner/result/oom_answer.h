#pragma once
#include "planner/result/memory_breakdown.h"
#include "planner/result/memory_message.h"
#include "planner/spec/scenario.h"

#include <optional>
#include <string>
#include <vector>

namespace fabricast {

/// A part of a GPU's memory, as a message gives it and as the forecast has it.
struct MemoryLayer {
    std::string name;  ///< "in tensors"
    std::optional<Bytes> measured;
    std::optional<Bytes> forecast;
};

/// Why an allocation failed, as far as the message alone tells, and what helps.
struct OomCause {
    std::string what;
    std::string wayOut;
};

/// A question whose forecast comes near to what a run took that was not the one described.
struct OomGuess {
    std::string typed;  ///< what is typed instead: "--layout micro_batch=2"
    Bytes peak{};
};

/// This is the answer to an out-of-memory message: what held the memory, which part is larger than
/// forecast, and the cheapest ways out.
struct OomAnswer {
    MemoryMessage message;
    std::vector<MemoryLayer> layers;
    std::vector<OomCause> causes;
    std::optional<Bytes> shortBy;  ///< at the least: the next allocation may have failed as well
    std::vector<std::string> gpusAlike;  ///< with the memory of the message, where no run was named
    // Where a scenario was given:
    std::optional<Scenario> scenario;
    /// Its fixes are those that help by as much more as the run took beyond its forecast.
    std::optional<MemoryBreakdown> forecast;
    double overForecast = 1.0;      ///< what the run needed, over its forecast; at least 1
    double ofForecast = 1.0;        ///< of a run that went on: what it took, over its forecast
    bool isOtherRun = false;        ///< it took more, or less, than the scenario ever would
    std::vector<OomGuess> guesses;  ///< then, what it may have been
};

}  // namespace fabricast
