#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string>
#include <string_view>

namespace fabricast {

/// The release whose own parser read these files.
inline constexpr std::string_view kDeepspeedVersions = "0.19.8";
inline constexpr std::string_view kNewestDeepspeed = "0.19.8";

/// Who makes the optimizer: DeepSpeed as its file says, or the script. transformers' Trainer takes
/// that of DeepSpeed's file over its own.
enum class OptimizerOwner { DeepSpeed, Script };

/// The JSON that deepspeed.initialize, Accelerate and Axolotl read.
Result<std::string> deepspeedJson(const LaunchFacts& facts, OptimizerOwner owner);

Result<LaunchFiles> deepspeedFiles(const LaunchFacts& facts);

}  // namespace fabricast
