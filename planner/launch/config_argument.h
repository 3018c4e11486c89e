#pragma once
#include "planner/launch/import_launch.h"
#include "planner/launch/launch_keys.h"

#include <string>

namespace fabricast {

/// The keys of an argument that takes a JSON file by its name, JSON itself, or a program's
/// dictionary: --fsdp_config, --liger_kernel_config.
Result<LaunchKeys> configOf(LaunchKeys& keys,
                            const std::string& argument,
                            const ImportContext& context);

}  // namespace fabricast
