#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string_view>

namespace fabricast {

inline constexpr std::string_view kAxolotlVersions = "0.19.0";
inline constexpr std::string_view kNewestAxolotl = "0.19.0";

/// axolotl.yaml, and deepspeed.json where ZeRO splits the states.
Result<LaunchFiles> axolotlFiles(const LaunchFacts& facts);

}  // namespace fabricast
