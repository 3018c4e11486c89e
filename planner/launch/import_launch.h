#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// A scenario that was made of a launch file, and a file of DeepSpeed's that it names.
struct ImportedRun {
    std::string framework;
    JsonValue scenario;
    std::string alsoReads;  ///< as the file names it; empty: none
};

/// What a launch file leaves to others.
struct ImportContext {
    /// The text of another file that it names.
    std::function<Result<std::string>(const std::string& name)> read;
    /// How many layers a built-in model has.
    std::function<std::optional<std::int64_t>(const std::string& model)> layers;
};

/// Whether a file is read as a launch file: by its ending, a script by its first line, and
/// DeepSpeed's JSON by its keys.
bool isLaunchFile(std::string_view text, const std::string& source);

/// What a launch file says, as a scenario: torchtitan's TOML and arguments, DeepSpeed's JSON,
/// Accelerate's and Axolotl's YAML, and scripts that call Megatron. Nothing of it is run.
///     FABRICAST_ASSIGN(const JsonValue scenario, importLaunch(text, "train.toml", context));
Result<JsonValue> importLaunch(std::string_view text,
                               const std::string& source,
                               const ImportContext& context);

// One framework each.
Result<JsonValue> importDeepspeed(LaunchKeys& keys);
Result<JsonValue> importTitan(LaunchKeys& file, const ImportContext& context);
Result<JsonValue> importMegatron(LaunchKeys& keys);
Result<ImportedRun> importAccelerate(LaunchKeys& keys);
Result<ImportedRun> importAxolotl(LaunchKeys& file);

}  // namespace fabricast
