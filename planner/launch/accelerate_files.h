#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string_view>

namespace fabricast {

inline constexpr std::string_view kAccelerateVersions = "1.15.0";
inline constexpr std::string_view kNewestAccelerate = "1.15.0";

/// accelerate.yaml, and deepspeed.json where ZeRO splits the states.
Result<LaunchFiles> accelerateFiles(const LaunchFacts& facts);

}  // namespace fabricast
