#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_files.h"
#include "planner/launch/read_named.h"
#include "planner/launch/scenario_draft.h"
#include "planner/launch/torchtitan_model.h"

#include <string>

namespace fabricast {

/// What the module with a plan's adapters is called, as --module names it.
inline constexpr const char* kTitanAdaptersModule = "titan_adapters";

/// How its function is called, as --config names it: "llama3_8b_lora".
std::string titanAdaptersConfig(const TitanModel& model);

/// A module whose function gives torchtitan 0.3.0 a config of its own with adapters: LoRAConverter
/// is called in Python alone.
Result<std::string> titanAdaptersModule(const LaunchFacts& facts, const TitanModel& model);

/// Adds what the function that --config names says in the user's module, where that is there: the
/// config of torchtitan's that it calls, as "config", and the arguments of LoRAConverter.Config, as
/// "LoRAConverter.rank".
Result<void> addTitanModule(LaunchKeys& keys, const ReadNamed& read);

/// The adapters of those keys.
Result<void> importTitanAdapters(ScenarioDraft& draft);

}  // namespace fabricast
