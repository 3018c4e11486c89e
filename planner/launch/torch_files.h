#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string_view>

namespace fabricast {

inline constexpr std::string_view kTorchVersions = "2.15";
inline constexpr std::string_view kNewestTorch = "2.15";

/// train.py: a short loop under DDP or FSDP2 that can be read in one go.
Result<LaunchFiles> torchFiles(const LaunchFacts& facts);

}  // namespace fabricast
