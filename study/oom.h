#pragma once
#include "planner/base/result.h"
#include "planner/base/watch.h"
#include "planner/result/oom_answer.h"
#include "study/question.h"
#include "study/workbench.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

struct OomAsk {
    std::string text;                    ///< with the message in it, such as the log of a job
    std::string source;                  ///< how errors name it
    std::optional<Question> question{};  ///< the run, where it is known
};

/// Whether the bytes of a file are a snapshot of PyTorch's allocator, which is read as a message.
bool isSnapshotOfMemory(std::string_view bytes);
/// The same, or a log with an out-of-memory message or a memory report in it, and no launch file.
bool isMemoryMessage(std::string_view bytes, const std::string& source);

/// What held the memory when a run failed, and what to change. Without a question it is what the
/// message alone tells.
///     FABRICAST_ASSIGN(const OomAnswer answer, explainOom({text, "job.log", run}, bench, {}));
Result<OomAnswer> explainOom(const OomAsk& ask, const Workbench& bench, const Watch& watch);

}  // namespace fabricast
