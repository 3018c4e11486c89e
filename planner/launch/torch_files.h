#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string_view>

namespace fabricast {

inline constexpr std::string_view kTorchVersions = "2.15, 2.14, 2.13, 2.12, 2.11, 2.10, 2.9, 2.8";
inline constexpr std::string_view kNewestTorch = "2.15";

/// train.py: a short loop under DDP or FSDP2 that can be read in one go.
Result<LaunchFiles> torchFiles(const LaunchFacts& facts);

}  // namespace fabricast
