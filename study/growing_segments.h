#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/oom_answer.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Segments that grow, alone: a limit on what is cut leaves free blocks beside them unused.
struct GrowingSegments {
    std::string change;       ///< "settings.allocator=expandable_segments"
    std::string environment;  ///< "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"
    std::vector<Edit> edits;
};
/// Nothing where the settings have them. `options`: the variable of PyTorch's allocator.
std::optional<GrowingSegments> growingSegments(const Settings& settings, std::string_view options);

/// Adds segments that grow to the ways out of a run that had enough memory, but in pieces: then it
/// takes what the message counts without them. `question` is of the run that failed.
Result<void> addGrowingSegments(const Question& question,
                                const OomAnswer& answer,
                                const Workbench& bench,
                                const Watch& watch,
                                std::vector<Rejection>& rejections);

}  // namespace fabricast
