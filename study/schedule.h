#pragma once
#include "planner/base/result.h"
#include "planner/result/pipeline_timeline.h"
#include "planner/schedule/action_order.h"
#include "planner/schedule/draw_timeline.h"

#include <string>

namespace fabricast {

/// A pipeline schedule and the ranks and microbatches that run it. No scenario, no profiles.
struct ScheduleAsk {
    std::string name;             ///< "1f1b"
    std::string stack = "paper";  ///< whose order and rules
    /// chunks 0: as many as the schedule usually has.
    PipelineShape shape{.ranks = 4, .chunks = 0, .microBatches = 8};
    TimelineSettings settings;
};

/// What each pipeline rank runs, and when. Errors name keys: "group", "durations".
Result<PipelineTimeline> schedule(const ScheduleAsk& ask);

}  // namespace fabricast
