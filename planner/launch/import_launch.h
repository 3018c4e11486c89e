#pragma once
#include "planner/base/result.h"
#include "planner/launch/opened_file.h"
#include "planner/text/json_document.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {

/// What a launch file leaves to others.
struct ImportContext {
    /// The text of another file that it names.
    ReadNamed read;
    /// How many layers a built-in model has.
    std::function<std::optional<std::int64_t>(const std::string& model)> layers;
    /// How many tokens it has, whose tokenizer alone a file may name.
    std::function<std::optional<std::int64_t>(const std::string& model)> vocabulary = {};
    /// Whether its head is the embedding's table; empty: not known of any.
    std::function<bool(const std::string& model)> isTied = {};
    /// How many parameters it has.
    std::function<std::optional<std::int64_t>(const std::string& model)> parameters = {};
};

/// What a launch file says, as a scenario: torchtitan's TOML and arguments, DeepSpeed's JSON,
/// Accelerate's, Axolotl's and torchtune's YAML, scripts that call Megatron or Hugging Face's
/// Trainer, Python programs of Trainer, FSDP2 or DDP, and scripts that start one of these. Nothing
/// of it is run.
///     FABRICAST_ASSIGN(const JsonValue scenario, importLaunch(text, "train.toml", context));
Result<JsonValue> importLaunch(std::string_view text,
                               const std::string& source,
                               const ImportContext& context);

/// The keys of an Axolotl file by their present names.
LaunchKeys axolotlKeysOf(const LaunchKeys& file);

// One framework each.
Result<JsonValue> importFile(OpenedFile& file, const ImportContext& context);

/// Whether a program has argparse or fire read its command line, and gives the Trainer what it
/// likes.
bool parsesItself(const OpenedFile& program);
/// Names what a script types for such a program and what changes nothing of its run: an argument
/// whose use was not read, if it is not about data, steps or logs.
Result<JsonValue> withIdleArguments(JsonValue run,
                                    const OpenedFile& script,
                                    const ImportContext& context);
Result<JsonValue> importTrainer(OpenedFile& file, const ImportContext& context);
Result<JsonValue> importTorch(LaunchKeys& keys, const ImportContext& context);
Result<JsonValue> importDeepspeed(LaunchKeys& keys);
Result<JsonValue> importTitan(LaunchKeys& file, const ImportContext& context);
Result<JsonValue> importMegatron(OpenedFile& file, const ImportContext& context);
Result<JsonValue> importAccelerate(LaunchKeys& keys);
Result<JsonValue> importAxolotl(LaunchKeys& file, const ImportContext& context);
Result<JsonValue> importTune(LaunchKeys& keys, const ImportContext& context);

}  // namespace fabricast
