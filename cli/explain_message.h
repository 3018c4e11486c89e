#pragma once
#include "cli/command.h"
#include "flags/question_arguments.h"

#include <cstddef>
#include <string>

namespace fabricast {

/// Of a log: the messages stand at its end, but a job may have printed much before.
inline constexpr std::size_t kMostLogBytes = std::size_t{256} << 20;

/// The answer about a message or a snapshot of memory in a file ("-": the one among the files of
/// the run, or standard input), with the run's forecast where files or flags say which it was.
Result<Answer> explainMessage(QuestionArguments run,
                              std::string message,
                              const GlobalOptions& options);

}  // namespace fabricast
