#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/opened_framework.h"
#include "planner/launch/trl.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace fabricast {
namespace {

/// Arguments that stand in the same part of the file. The names are those of accelerate launch
/// 1.15.
struct AccelerateSection {
    std::string_view before;
    std::span<const std::string_view> names;
};

constexpr std::array<std::string_view, 16> kOfTop = {"mixed_precision",
                                                     "num_machines",
                                                     "machine_rank",
                                                     "main_process_ip",
                                                     "main_process_port",
                                                     "main_training_function",
                                                     "same_network",
                                                     "rdzv_backend",
                                                     "rdzv_conf",
                                                     "gpu_ids",
                                                     "downcast_bf16",
                                                     "debug",
                                                     "enable_cpu_affinity",
                                                     "mpirun_hostfile",
                                                     "mpirun_ccl",
                                                     "num_processes"};
constexpr std::array<std::string_view, 5> kOfDynamo = {"dynamo_backend",
                                                       "dynamo_mode",
                                                       "dynamo_use_fullgraph",
                                                       "dynamo_use_dynamic",
                                                       "dynamo_use_regional_compilation"};
constexpr std::array<std::string_view, 15> kOfFsdp = {"fsdp_version",
                                                      "fsdp_offload_params",
                                                      "fsdp_min_num_params",
                                                      "fsdp_sharding_strategy",
                                                      "fsdp_reshard_after_forward",
                                                      "fsdp_auto_wrap_policy",
                                                      "fsdp_transformer_layer_cls_to_wrap",
                                                      "fsdp_backward_prefetch",
                                                      "fsdp_backward_prefetch_policy",
                                                      "fsdp_state_dict_type",
                                                      "fsdp_forward_prefetch",
                                                      "fsdp_use_orig_params",
                                                      "fsdp_cpu_ram_efficient_loading",
                                                      "fsdp_sync_module_states",
                                                      "fsdp_activation_checkpointing"};
constexpr std::array<std::string_view, 15> kOfDeepspeed = {"deepspeed_config_file",
                                                           "zero_stage",
                                                           "offload_optimizer_device",
                                                           "offload_param_device",
                                                           "offload_optimizer_nvme_path",
                                                           "offload_param_nvme_path",
                                                           "gradient_accumulation_steps",
                                                           "gradient_clipping",
                                                           "zero3_init_flag",
                                                           "zero3_save_16bit_model",
                                                           "deepspeed_hostfile",
                                                           "deepspeed_exclusion_filter",
                                                           "deepspeed_inclusion_filter",
                                                           "deepspeed_multinode_launcher",
                                                           "deepspeed_moe_layer_cls_names"};
constexpr std::array<std::string_view, 10> kOfMesh = {"parallelism_config_dp_replicate_size",
                                                      "parallelism_config_dp_shard_size",
                                                      "parallelism_config_tp_size",
                                                      "parallelism_config_cp_size",
                                                      "parallelism_config_cp_backend",
                                                      "parallelism_config_cp_comm_strategy",
                                                      "parallelism_config_sp_size",
                                                      "parallelism_config_sp_backend",
                                                      "parallelism_config_sp_seq_length",
                                                      "parallelism_config_sp_attn_implementation"};
constexpr std::array kSections = {AccelerateSection{"", kOfTop},
                                  AccelerateSection{"dynamo_config.", kOfDynamo},
                                  AccelerateSection{"fsdp_config.", kOfFsdp},
                                  AccelerateSection{"deepspeed_config.", kOfDeepspeed},
                                  AccelerateSection{"parallelism_config.", kOfMesh}};

/// What has no key, or another one.
constexpr std::array<std::string_view, 14> kOfCommandAlone = {"config_file",
                                                              "quiet",
                                                              "multi_gpu",
                                                              "use_fsdp",
                                                              "use_deepspeed",
                                                              "use_parallelism_config",
                                                              "module",
                                                              "no_python",
                                                              "tee",
                                                              "log_dir",
                                                              "role",
                                                              "max_restarts",
                                                              "monitor_interval",
                                                              "num_cpu_threads_per_process"};

/// Other devices and engines, by how their arguments begin.
constexpr std::array<std::string_view, 11> kUnmodelledByLaunch = {"use_megatron_lm",
                                                                  "megatron_lm_",
                                                                  "use_xpu",
                                                                  "ipex",
                                                                  "cpu",
                                                                  "tpu",
                                                                  "no_tpu",
                                                                  "vm",
                                                                  "env",
                                                                  "aws_",
                                                                  "fp8_"};

/// "--fsdp-version" is fsdp_version.
std::string nameOfFlag(std::string_view flag) {
    std::string name(flag.substr(flag.starts_with("--") ? 2 : 0));
    std::ranges::replace(name, '-', '_');
    return name;
}

/// The key of the file that says the same; empty where there is none.
std::string keyOfName(const std::string& name) {
    for (const AccelerateSection& one : kSections) {
        if (std::ranges::find(one.names, name) != one.names.end()) {
            return std::string(one.before) + name;
        }
    }
    return "";
}

bool isAccelerateProgram(const LaunchKey& key) {
    return key.path == "torchrun accelerate" || key.path.ends_with("/accelerate") ||
           key.path == "torchrun accelerate.commands.launch";
}

/// The arguments of accelerate launch by their names: those behind it, and of TRL's command those
/// that it passes on.
std::vector<LaunchKey> typedBehind(const LaunchKeys& script) {
    const std::vector<LaunchKey>& all = script.all();
    const auto program = std::ranges::find_if(all, isAccelerateProgram);
    std::vector<LaunchKey> typed;
    if (program == all.end()) {
        return typed;
    }
    const bool byTrl = script.has(kTrlKey);
    for (auto one = byTrl ? all.begin() : program; one != all.end(); ++one) {
        constexpr std::string_view kBefore = "torchrun --";
        const bool isOption = one->path.starts_with(kBefore) && one->file == program->file;
        std::string name = isOption ? nameOfFlag(one->path.substr(kBefore.size())) : "";
        if (isOption && (!byTrl || isAccelerateArgument(name))) {
            typed.push_back(*one);
            typed.back().path = std::move(name);
        }
    }
    return typed;
}

/// How the ranks train, as the file says it.
std::string_view typeOfSwitch(std::string_view name) {
    return name == "use_deepspeed" ? "DEEPSPEED"
           : name == "use_fsdp"    ? "FSDP"
           : name == "multi_gpu"   ? "MULTI_GPU"
                                   : "";
}

tl::unexpected<Error> refuseArgument(const LaunchKeys& script, LaunchKey key) {
    const bool isOther = std::ranges::any_of(
        kUnmodelledByLaunch, [&key](std::string_view one) { return key.path.starts_with(one); });
    key.path = "--" + key.path;
    return script.refuse(key,
                         isOther ? "of accelerate launch is not modelled"
                                 : "is not an argument of accelerate launch",
                         isOther ? "leave it out: the forecast is then of a run without it"
                                 : "arguments of the script stand behind its name");
}

}  // namespace

bool isAccelerateArgument(std::string_view flag) {
    const std::string name = nameOfFlag(flag);
    return !keyOfName(name).empty() ||
           std::ranges::find(kOfCommandAlone, name) != kOfCommandAlone.end();
}

Result<LaunchKeys> accelerateArguments(const LaunchKeys& script) {
    LaunchKeys keys(script.source());
    std::optional<LaunchKey> type;
    for (LaunchKey& one : typedBehind(script)) {
        if (!isAccelerateArgument(one.path)) {
            return refuseArgument(script, std::move(one));
        }
        if (const std::string_view says = typeOfSwitch(one.path); !says.empty()) {
            if (!type || type->values.front() == "MULTI_GPU" || says == "DEEPSPEED") {
                type = one;
                type->path = "distributed_type";
                type->values = {std::string(says)};
            }
        } else if (one.path == "num_processes") {  // a variable of it leaves the file's
            one.path = "torchrun --num_processes";
            keys.add(std::move(one));
        } else if (std::string path = keyOfName(one.path); !path.empty()) {
            one.path = std::move(path);
            keys.add(std::move(one));
        }
    }
    if (type) {
        keys.add(*std::move(type));
    }
    return keys;
}

Result<std::optional<OpenedFile>> typedAccelerateFile(const LaunchKeys& script) {
    FABRICAST_ASSIGN(LaunchKeys keys, accelerateArguments(script));
    const std::vector<LaunchKey> typed = typedBehind(script);
    const auto mesh = std::ranges::find(typed, "use_parallelism_config", &LaunchKey::path);
    const LaunchKey* const type = keys.find("distributed_type");
    const bool isSharded = type != nullptr && type->values.front() != "MULTI_GPU";
    if (!isSharded && mesh == typed.end()) {
        return std::optional<OpenedFile>();
    }
    for (const LaunchKey& key : keys.all()) {
        if (mesh == typed.end() && key.path.starts_with("parallelism_config.")) {
            return keys.refuse(
                key, "is ignored without --use_parallelism_config", "--use_parallelism_config");
        }
    }
    if (type == nullptr) {
        LaunchKey ranks = *mesh;
        ranks.path = "distributed_type";
        ranks.values = {"MULTI_GPU"};
        keys.add(std::move(ranks));
    }
    const bool isZeroSaid = keys.has("deepspeed_config.zero_stage") ||
                            keys.has("deepspeed_config.deepspeed_config_file");
    if (type != nullptr && type->values.front() == "DEEPSPEED" && !isZeroSaid) {
        LaunchKey stage = *type;
        stage.path = "deepspeed_config.zero_stage";
        stage.values = {"2"};  // of accelerate launch, where it is not typed
        keys.add(std::move(stage));
    }
    OpenedFile file{LaunchKind::Accelerate, std::move(keys)};
    nameOther(file, {"deepspeed_config.deepspeed_config_file"});
    return std::optional(std::move(file));
}

}  // namespace fabricast
