#pragma once
#include "planner/base/result.h"
#include "planner/launch/opened_file.h"

#include <optional>
#include <string_view>

namespace fabricast {

/// What is typed behind accelerate launch, as the keys of Accelerate's file: "--zero_stage 3" is
/// "deepspeed_config.zero_stage". None where another launcher starts the script. An argument that
/// is none of accelerate launch is an error.
Result<LaunchKeys> accelerateArguments(const LaunchKeys& script);

/// Whether accelerate launch takes it, however it is written: "--fsdp-version", "--fsdp_version".
bool isAccelerateArgument(std::string_view flag);

/// Those arguments as a file of their own, where they choose how the ranks train: --use_fsdp,
/// --use_deepspeed or --use_parallelism_config.
Result<std::optional<OpenedFile>> typedAccelerateFile(const LaunchKeys& script);

}  // namespace fabricast
