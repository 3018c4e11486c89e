#pragma once
#include "planner/result/pipeline_timeline.h"

#include <cstddef>
#include <string>
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

}  // namespace fabricast
