#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string>
#include <string_view>

namespace fabricast {

/// The release whose own parser read these files.
inline constexpr std::string_view kDeepspeedVersions = "0.19.8";
inline constexpr std::string_view kNewestDeepspeed = "0.19.8";

/// Who makes the optimizer: DeepSpeed as its file says, the script, or transformers' Trainer, which
/// fills in the file's numbers.
enum class OptimizerOwner { DeepSpeed, Script, Trainer };

/// The JSON that deepspeed.initialize, Accelerate and Axolotl read.
Result<std::string> deepspeedJson(const LaunchFacts& facts, OptimizerOwner owner);

Result<LaunchFiles> deepspeedFiles(const LaunchFacts& facts);

}  // namespace fabricast
