#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <span>
#include <string>

namespace fabricast {

/// Writes launch files into a folder, all or none. A user's own changes are not lost: a file that
/// is there and differs stays, and nothing is written, unless it `replaces` them.
///     FABRICAST_TRY(writeLaunchFiles(emitted.launch.files, "launch", false));
Result<void> writeLaunchFiles(std::span<const LaunchFile> files,
                              const std::string& folder,
                              bool replaces);

}  // namespace fabricast
