#pragma once
#include "planner/base/result.h"
#include "planner/result/pipeline_timeline.h"
#include "planner/schedule/framework_order.h"
#include "planner/schedule/pipeline_span.h"

#include <string>

namespace fabricast {

/// What to time a schedule with; durations as `parsePassTimes` reads them.
struct TimelineSettings {
    std::string durations;
    std::string handOver = "0";
    Receive receive = Receive::Overlap;
    PairMode pairs = PairMode::Atomic;
};

/// The most stage-microbatches that a timeline may have: beyond them nobody reads it.
inline constexpr std::int64_t kMostDrawn = 131'072;

/// Every action of a framework's order with its start and end. Names are left to the caller.
Result<PipelineTimeline> drawTimeline(const FrameworkOrder& chosen,
                                      const TimelineSettings& settings);

}  // namespace fabricast
