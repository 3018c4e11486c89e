#pragma once
#include "planner/launch/launch_keys.h"

#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

// TRL's trainers: Hugging Face's Trainer with defaults of their own, started by the command "trl",
// whose arguments are the script's and those of accelerate launch in one line.

/// Key of a file that one of TRL's trainers reads: which one, "sft".
inline constexpr const char* kTrlKey = "trl";

/// Whether TRL's defaults hold: of the command, of SFTConfig, and of a script that takes TRL's
/// ModelConfig.
bool isTrl(const LaunchKeys& keys);

/// The same of its trainers on preferences and rewards, whose classes a program calls.
bool hasTrlsDefaults(const LaunchKeys& keys);

/// Arguments of the command with those of accelerate launch as "torchrun --num_processes".
LaunchKeys trlArguments(const LaunchKeys& keys);
/// The same of a file of arguments: "bf16: true" is "--bf16".
LaunchKeys trlFileArguments(const LaunchKeys& yaml);

/// Arguments of a file without those that are typed beside it, which win.
LaunchKeys trlArgumentsOver(const LaunchKeys& file, const LaunchKeys& typed);

/// Whether a file would be one of TRL's package, "trl/accelerate_configs/…".
bool isOfTrlsConfigs(std::string_view name);
/// "fsdp1, fsdp2, …".
std::string trlConfigNames();
/// What "trl/accelerate_configs/zero2.yaml" of TRL's package says; nothing where it has no such
/// file.
std::optional<std::string> trlAccelerateConfig(std::string_view name);

}  // namespace fabricast
