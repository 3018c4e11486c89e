#pragma once
#include "planner/base/result.h"
#include "planner/launch/opened_file.h"

#include <span>
#include <string_view>

namespace fabricast {

/// A Python program by what it calls: a loop of its own under fully_shard or
/// DistributedDataParallel, Hugging Face's Trainer, or Megatron Bridge or NeMo, whose keys are then
/// those of a command line ("--bf16"). An error where it trains with none.
Result<OpenedFile> pythonFile(LaunchKeys keys);
/// TRL's classes that train on preferences or rewards: keys of a Trainer's file that calls them.
std::span<const std::string_view> trainersOfPreferences();

}  // namespace fabricast
