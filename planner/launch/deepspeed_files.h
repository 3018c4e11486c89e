#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"

#include <string>
#include <string_view>

namespace fabricast {

/// Releases of DeepSpeed whose keys are known; those before 0.19.5 have other defaults, and every
/// default that moved is written out.
inline constexpr std::string_view kDeepspeedVersions = "0.19.8, 0.18.9, 0.17.6";
inline constexpr std::string_view kNewestDeepspeed = "0.19.8";

/// Who makes the optimizer: DeepSpeed as its file says, the script, or transformers' Trainer, which
/// fills in the file's numbers.
enum class OptimizerOwner { DeepSpeed, Script, Trainer };

/// The JSON that deepspeed.initialize, Accelerate and Axolotl read.
Result<std::string> deepspeedJson(const Scenario& scenario, OptimizerOwner owner);

Result<LaunchFiles> deepspeedFiles(const LaunchFacts& facts);

}  // namespace fabricast
