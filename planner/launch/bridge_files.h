#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string_view>

namespace fabricast {

/// The release of Megatron Bridge whose keys are known, and the Megatron-Core that it stands on.
inline constexpr std::string_view kBridgeVersions = "0.3.1";
inline constexpr std::string_view kNewestBridge = "0.3.1";
inline constexpr std::string_view kCoreOfBridge = "0.16";

/// train.py, which makes a ConfigContainer and calls pretrain.
Result<LaunchFiles> bridgeFiles(const LaunchFacts& facts);

}  // namespace fabricast
