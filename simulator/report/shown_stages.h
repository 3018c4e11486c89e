#pragma once
#include "simulator/program/simulate_step.h"
#include "simulator/program/stage_ranks.h"

#include <cstddef>
#include <vector>

namespace fabricast {

/// The actors that a report shows: all up to a maximum number; else the first, the last, the
/// busiest and the least busy.
std::vector<std::size_t> shownActors(const SimulatedStep& step, std::size_t most);

/// The same of pipeline stages, and always the one with the highest peak.
std::vector<std::size_t> shownStages(const SimulatedStep& step,
                                     const StageRanks& ranks,
                                     std::size_t fullest,
                                     std::size_t most);

inline constexpr std::size_t kMostRows = 8;    ///< of a table
inline constexpr std::size_t kMostLanes = 16;  ///< of a picture

}  // namespace fabricast
