#pragma once
#include "planner/base/result.h"
#include "planner/launch/launch_keys.h"
#include "planner/launch/megatron_arguments.h"

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fabricast {

/// The fields of ConfigContainer and their classes, as they are written.
inline constexpr std::array kBridgeSections = {
    std::pair<std::string_view, std::string_view>("model", "GPTModelProvider"),
    std::pair<std::string_view, std::string_view>("train", "TrainingConfig"),
    std::pair<std::string_view, std::string_view>("optimizer", "OptimizerConfig"),
    std::pair<std::string_view, std::string_view>("ddp", "DistributedDataParallelConfig"),
    std::pair<std::string_view, std::string_view>("mixed_precision", "MixedPrecisionConfig"),
    std::pair<std::string_view, std::string_view>("dist", "DistributedInitConfig"),
    std::pair<std::string_view, std::string_view>("rng", "RNGConfig"),
    std::pair<std::string_view, std::string_view>("scheduler", "SchedulerConfig"),
    std::pair<std::string_view, std::string_view>("dataset", "GPTDatasetConfig"),
    std::pair<std::string_view, std::string_view>("tokenizer", "TokenizerConfig"),
    std::pair<std::string_view, std::string_view>("logger", "LoggerConfig"),
    std::pair<std::string_view, std::string_view>("checkpoint", "CheckpointConfig"),
    std::pair<std::string_view, std::string_view>("peft", "LoRA")};

/// One key of Megatron Bridge's configuration, its value written in Python:
/// {"model", "hidden_size", "4096"}.
struct BridgeKey {
    std::string section;  ///< the field of ConfigContainer
    std::string key;
    std::string value;
};

/// The import of activations that are functions of Megatron-Core; empty where the keys name none.
std::string activationImport(const std::vector<BridgeKey>& keys);

/// The keys that say the same as Megatron's arguments, in their order, and those that one argument
/// implies in Megatron-LM and Bridge wants to hear. An error names an argument without a key.
Result<std::vector<BridgeKey>> bridgeKeys(const MegatronArguments& arguments);

/// The switches that Megatron-LM's parser turns on, or leaves off, without being asked where
/// Bridge's classes have it the other way round.
std::vector<BridgeKey> megatronDefaults(const MegatronArguments& arguments);

/// All that a plan says: its arguments, what these imply, and what Megatron-LM works out of
/// several.
Result<std::vector<BridgeKey>> keysOfPlan(const LaunchFacts& facts, std::string_view target);
/// Adapters over whole groups of weights, as Megatron-Core has them: "linear_qkv". Empty where all
/// weights are trained.
Result<std::vector<BridgeKey>> adapterKeys(const Settings& settings);

/// "model.sequence_parallel=True" of "--sequence-parallel"; nothing where Bridge has no key for it.
std::optional<std::string> bridgeKeyOf(const std::string& flag);

/// Megatron's arguments of a Python program that makes Bridge's ConfigContainer or NeMo's
/// MegatronStrategy, whatever of it they say: "--hidden-size" of GPTModelProvider.hidden_size. Keys
/// are those of readPythonKeys; beside arguments there are "stack" and "peft.dim".
LaunchKeys argumentsOfBridge(const LaunchKeys& program);

}  // namespace fabricast
