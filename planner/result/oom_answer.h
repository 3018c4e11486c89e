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
    double overForecast = 1.0;  ///< what the run needed, over its forecast; at least 1
};

}  // namespace fabricast
