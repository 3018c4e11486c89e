#pragma once
#include "planner/result/pipeline_timeline.h"

#include <string>
#include <string_view>

namespace fabricast {

/// A "fabricast.schedule/1" document, times in the unit that the durations were typed in.
///     .makespan   .ranks[0].actions ("0F0 0F1 0F2&1B0")   .ranks[0].busy   .stages[0].slack
std::string scheduleJson(const PipelineTimeline& timeline, std::string_view version);

}  // namespace fabricast
