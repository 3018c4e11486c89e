#pragma once
#include "planner/base/result.h"
#include "planner/schedule/step_list.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Durations that somebody typed, as whole ticks, so that sums of them are exact: "1.25" and "3"
/// are 125 and 300 ticks of two decimals.
struct PassTimes {
    std::vector<std::int64_t> ticks;  ///< by timeIndex
    std::int64_t handOver = 0;
    int decimals = 0;
};

/// Reads "F=41;B=77" (one number for every stage) or "F=20 27 35;B=44 57 81" (one for each), in
/// any unit. An empty text is F=1;B=2;I=1;W=1. The backward is I + W where only those are said.
/// `needed` are the passes that the schedule runs: one that was not said is an error.
Result<PassTimes> parsePassTimes(std::string_view durations,
                                 std::string_view handOver,
                                 std::size_t stages,
                                 const std::vector<Pass>& needed);

/// The passes that a sorted order runs.
std::vector<Pass> passesOf(const StepList& list);

}  // namespace fabricast
