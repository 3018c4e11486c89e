#pragma once
#include "planner/base/result.h"
#include "planner/result/pipeline_timeline.h"
#include "planner/schedule/framework_order.h"
#include "planner/schedule/pipeline_span.h"
#include "planner/schedule/step_list.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Durations as typed, in whole ticks, so that sums of them are exact: "1.25" and "3"
/// are 125 and 300 ticks of two decimals.
struct PassTimes {
    std::vector<std::int64_t> ticks;  ///< by timeIndex
    std::int64_t handOver = 0;
    int decimals = 0;
};

/// Reads "F=41;B=77" (one number for every stage) or "F=20 27 35;B=44 57 81" (one for each), in
/// any unit. An empty text is F=1;B=2;I=1;W=1. The backward is I + W if only those are given.
/// `needed` are the passes that the schedule runs: a missing one is an error.
Result<PassTimes> parsePassTimes(std::string_view durations,
                                 std::string_view handOver,
                                 std::size_t stages,
                                 const std::vector<Pass>& needed);

/// The passes that a sorted order runs.
std::vector<Pass> passesOf(const StepList& list);

/// What to time a schedule with; durations as `parsePassTimes` reads them.
struct TimelineSettings {
    std::string durations;
    std::string handOver = "0";
    Receive receive = Receive::Overlap;
    PairMode pairs = PairMode::Atomic;
};

/// The most stage-microbatches that a timeline may have: larger ones are unreadable.
inline constexpr std::int64_t kMostDrawn = 131'072;

/// Every action of a framework's order with its start and end. Names are left to the caller.
Result<PipelineTimeline> drawTimeline(const FrameworkOrder& chosen,
                                      const TimelineSettings& settings);

}  // namespace fabricast
