#include "planner/launch/trl.h"

#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/python_reading.h"

#include <algorithm>
#include <array>
#include <utility>

namespace fabricast {
namespace {

constexpr std::string_view kConfigs = "trl/accelerate_configs/";

/// Arguments of accelerate launch that are the trainer's own, too, who takes them first.
constexpr std::array<std::string_view, 4> kOfTrainerFirst = {
    "--gradient_accumulation_steps",
    "--debug",
    "--fsdp_min_num_params",
    "--fsdp_transformer_layer_cls_to_wrap"};

/// Of TRL 1.16, without what changes no forecast.
struct TrlConfig {
    std::string_view name;
    std::string_view says;
};
constexpr std::array kTrlConfigs = {
    TrlConfig{"fsdp1",
              "distributed_type: FSDP\n"
              "fsdp_config: {fsdp_version: 1, fsdp_reshard_after_forward: FULL_SHARD,\n"
              "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP, fsdp_offload_params: false,\n"
              "  fsdp_activation_checkpointing: false, fsdp_state_dict_type: FULL_STATE_DICT}\n"},
    TrlConfig{"fsdp2",
              "distributed_type: FSDP\n"
              "fsdp_config: {fsdp_version: 2, fsdp_reshard_after_forward: true,\n"
              "  fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP, fsdp_offload_params: false,\n"
              "  fsdp_activation_checkpointing: false, fsdp_state_dict_type: FULL_STATE_DICT}\n"},
    TrlConfig{"multi_gpu", "distributed_type: MULTI_GPU\n"},
    TrlConfig{"single_gpu", "distributed_type: \"NO\"\n"},
    TrlConfig{"zero1",
              "distributed_type: DEEPSPEED\n"
              "deepspeed_config: {zero_stage: 1, gradient_accumulation_steps: 1}\n"},
    TrlConfig{"zero2",
              "distributed_type: DEEPSPEED\n"
              "deepspeed_config: {zero_stage: 2, offload_optimizer_device: none,\n"
              "  offload_param_device: none}\n"},
    TrlConfig{"zero3",
              "distributed_type: DEEPSPEED\n"
              "deepspeed_config: {zero_stage: 3, offload_optimizer_device: none,\n"
              "  offload_param_device: none}\n"}};

/// "zero2" is a file of the package, what ends as a file does is one of the user's.
std::string configFile(const std::string& typed) {
    const bool isFile = typed.ends_with(".yaml") || typed.ends_with(".yml");
    return isFile ? typed : std::string(kConfigs) + typed + ".yaml";
}

std::string trlScript(const LaunchKeys& keys) {
    const LaunchKey* const script = keys.find("script");
    const bool says = script != nullptr && script->values.size() == 1;
    return says ? script->values.front() : "";
}

/// As TRL's ModelConfig has it on a command line. A LoraConfig in a script of Python may be that of
/// any trainer.
bool typesAdapters(const LaunchKeys& keys) {
    const LaunchKey* const adapters = keys.find("--use_peft");
    return adapters != nullptr &&
           !(adapters->file.empty() ? keys.source() : adapters->file).ends_with(".py");
}

/// A copy of TRL's sft.py: it is called so, and takes what TRL's ScriptArguments and ModelConfig
/// have.
bool takesItsArguments(const LaunchKeys& keys, const std::string& script) {
    const bool isCalled = script == "sft.py" || script.ends_with("/sft.py");
    return isCalled && keys.has("--dataset_name") && keys.has("--model_name_or_path");
}

}  // namespace

bool isTrl(const LaunchKeys& keys) {
    const bool byFactory = keys.has("--template") || keys.has("--finetuning_type");
    const std::string script = trlScript(keys);
    return keys.has(kTrlKey) || script.ends_with("trl/scripts/sft.py") ||
           script.ends_with("examples/scripts/sft.py") || takesItsArguments(keys, script) ||
           (typesAdapters(keys) && !byFactory);
}

bool hasTrlsDefaults(const LaunchKeys& keys) {
    return isTrl(keys) ||
           std::ranges::any_of(trainersOfPreferences(),
                               [&keys](std::string_view name) { return keys.has(name); });
}

LaunchKeys trlArguments(const LaunchKeys& keys) {
    LaunchKeys split(keys.source());
    for (LaunchKey key : keys.all()) {
        const bool isTrainers =
            std::ranges::find(kOfTrainerFirst, key.path) != kOfTrainerFirst.end();
        if (key.path.starts_with("--") && isAccelerateArgument(key.path) && !isTrainers) {
            key.path = "torchrun " + key.path;
        } else if (key.path == "--accelerate_config" && key.values.size() == 1) {
            key.path = "torchrun --config_file";
            key.values = {configFile(key.values.front())};
        }
        split.add(std::move(key));
    }
    return split;
}

LaunchKeys trlFileArguments(const LaunchKeys& yaml) {
    LaunchKeys typed(yaml.source());
    for (LaunchKey key : yaml.all()) {
        key.path = "--" + key.path;
        typed.add(std::move(key));
    }
    return trlArguments(typed);
}

LaunchKeys trlArgumentsOver(const LaunchKeys& file, const LaunchKeys& typed) {
    LaunchKeys keys(file.source());
    for (const LaunchKey& key : file.all()) {
        if (!typed.has(key.path)) {
            keys.add(key);
        }
    }
    keys.append(typed, {""});
    return keys;
}

bool isOfTrlsConfigs(std::string_view name) {
    return name.starts_with(kConfigs);
}

std::string trlConfigNames() {
    std::string names;
    for (const TrlConfig& one : kTrlConfigs) {
        names += (names.empty() ? "" : ", ") + std::string(one.name);
    }
    return names;
}

std::optional<std::string> trlAccelerateConfig(std::string_view name) {
    for (const TrlConfig& one : kTrlConfigs) {
        if (name == std::string(kConfigs) + std::string(one.name) + ".yaml") {
            const char* const processes = one.name == "single_gpu" ? "1" : "8";
            return "compute_environment: LOCAL_MACHINE\nmixed_precision: bf16\nnum_machines: 1\n"
                   "num_processes: " +
                   std::string(processes) + "\n" + std::string(one.says);
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
