#pragma once
#include "planner/result/pipeline_timeline.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// A pipeline drawn with characters, time to scale: a line per rank, "0F0 0F1 ....0B0-".
struct ScheduleDrawing {
    std::vector<std::string> lines;  ///< of each rank, all as wide as the makespan
    std::string legend;              ///< what the characters are
};

/// At most `width` columns. Actions carry as much of their name as fits: all of it, pass and
/// microbatch, or the letter of the pass; where a column is longer than an action, it shows what
/// fills most of it.
ScheduleDrawing drawSchedule(const PipelineTimeline& timeline, std::size_t width);

/// A "fabricast.schedule/1" document, times in the unit that the durations were typed in.
///     .makespan   .ranks[0].actions ("0F0 0F1 0F2&1B0")   .ranks[0].busy   .stages[0].slack
std::string scheduleJson(const PipelineTimeline& timeline, std::string_view version);

/// A pipeline's schedule as people read it: makespan and bubble, a line per rank with its
/// microbatches in flight, what the letters are. Of more than 32 ranks the middle is left out
/// unless `everyRank`.
std::string scheduleText(const PipelineTimeline& timeline, bool everyRank);
std::string scheduleMarkdown(const PipelineTimeline& timeline);
/// A row per action: rank, stage, pass, microbatch, start, end.
std::string scheduleCsv(const PipelineTimeline& timeline);

}  // namespace fabricast
