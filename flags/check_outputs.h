#pragma once
#include "flags/global_options.h"
#include "planner/base/result.h"
#include "study/question.h"

#include <string>
#include <vector>

namespace fabricast {

/// Refuses a command line that names a file which is written to, and the same file a second time:
/// as another output, or as input, or whose ending says that it is no text (x.png) where no format
/// is typed, or that is there and holds what was measured or written by hand: a record, a
/// profile (but for --force). The outputs are kept in `options`.
Result<void> checkOutputs(const std::vector<std::string>& arguments, GlobalOptions& options);

/// Refuses a question that reads a file which the command writes, or whose answer would take the
/// place of a launch file (but for --force).
Result<void> checkInputs(const Question& question, const GlobalOptions& options);
/// Nothing, where there is no question.
inline Result<void> checkInputs(const Result<Question>& question, const GlobalOptions& options) {
    return question ? checkInputs(*question, options) : Result<void>();
}

/// Refuses an output that is also a file which the command writes into the folder of `flag`.
Result<void> checkBeside(const std::string& flag,
                         const std::string& path,
                         const GlobalOptions& options);

/// Refuses a place that holds what was measured or written by hand: it does not come again, as an
/// answer does. `where` is what the error points at.
Result<void> checkKeptPlace(const std::string& where,
                            const std::string& typed,
                            const std::string& place);

}  // namespace fabricast
