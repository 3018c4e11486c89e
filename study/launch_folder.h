#pragma once
#include "planner/base/result.h"

#include <string>
#include <vector>

namespace fabricast {

/// The launch files of a folder, by their endings and in order of their names; of programs in
/// Python those that train. An error where there is none. `directory` is where `folder` starts.
Result<std::vector<std::string>> launchFilesIn(const std::string& folder,
                                               const std::string& directory);

/// Whether any of its files is a framework's.
bool hasLaunchFiles(const std::string& folder, const std::string& directory);

/// The one of them that starts what the others say: no other names it. An error that lists them
/// where there are several.
///     startOfFolder("launch", "")  →  "launch/job.sbatch", which starts launch/run.sh
Result<std::string> startOfFolder(const std::string& folder, const std::string& directory);

}  // namespace fabricast
