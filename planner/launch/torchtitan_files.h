#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string_view>

namespace fabricast {

/// 0.2.2 reads TOML; 0.3 takes a config by name and its changes as arguments.
inline constexpr std::string_view kTitanVersions = "0.3.0, 0.2.2";
inline constexpr std::string_view kNewestTitan = "0.3.0";

/// train.toml, or arguments in run.sh.
Result<LaunchFiles> torchtitanFiles(const LaunchFacts& facts);

}  // namespace fabricast
