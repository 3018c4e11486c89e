#pragma once
#include "cli/command.h"
#include "study/question.h"

#include <string>
#include <vector>

namespace fabricast {

/// `plan --sweep`: the best plan of every combination of values, kept in a file of JSON lines.
Result<Answer> runSweep(const Question& question,
                        const std::vector<std::string>& typed,
                        const std::string& file,
                        const GlobalOptions& options);

}  // namespace fabricast
