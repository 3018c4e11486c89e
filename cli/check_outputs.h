#pragma once
#include "cli/global_options.h"
#include "planner/base/result.h"

#include <string>
#include <vector>

namespace fabricast {

/// Refuses a command line that names a file which is written to, and the same file a second time:
/// as another output, or as input.
Result<void> checkOutputs(const std::vector<std::string>& arguments, const GlobalOptions& options);

}  // namespace fabricast
