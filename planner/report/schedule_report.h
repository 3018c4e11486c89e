#pragma once
#include "planner/result/pipeline_timeline.h"

#include <string>

namespace fabricast {

/// A pipeline's schedule as people read it: makespan and bubble, a line per rank with its
/// microbatches in flight, what the letters are. Of more than 32 ranks the middle is left out
/// unless `everyRank`.
std::string scheduleText(const PipelineTimeline& timeline, bool everyRank);
std::string scheduleMarkdown(const PipelineTimeline& timeline);
/// A row per action: rank, stage, pass, microbatch, start, end.
std::string scheduleCsv(const PipelineTimeline& timeline);

}  // namespace fabricast
