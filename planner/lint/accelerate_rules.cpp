#include "planner/lint/lint_rule.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

bool isFsdp(const LintFile& file) {
    return file.text("distributed_type") == "FSDP";
}

bool isSecond(const LintFile& file) {
    return isFsdp(file) && file.whole("fsdp_config.fsdp_version", 1) == 2;
}

std::int64_t meshSize(const LintFile& file, const std::string& axis) {
    return file.whole("parallelism_config.parallelism_config_" + axis + "_size", 1);
}

LintHits noDistribution(const LintView& view) {
    return view.file.has("distributed_type")
               ? LintHits{}
               : LintHits{{nullptr, "distributed_type is not said", "distributed_type: FSDP"}};
}

/// Keys that FSDP2 drops.
constexpr std::array<std::string_view, 4> kOfFirstFsdp = {"fsdp_backward_prefetch",
                                                          "fsdp_forward_prefetch",
                                                          "fsdp_use_orig_params",
                                                          "fsdp_sync_module_states"};

/// What makes a file of FSDP1 one of FSDP2, with the keys that have no meaning there.
std::string toSecondFsdp(const LintFile& file) {
    const std::string strategy = file.text("fsdp_config.fsdp_sharding_strategy");
    const bool keepsWeights = strategy == "SHARD_GRAD_OP" || strategy == "2";
    std::string fix = std::string("fsdp_config: {fsdp_version: 2, fsdp_reshard_after_forward: ") +
                      (keepsWeights ? "false}" : "true}");
    fix += strategy.empty() ? "" : ", leave fsdp_sharding_strategy out";
    for (const std::string_view key : kOfFirstFsdp) {
        if (file.has("fsdp_config." + std::string(key))) {
            fix += ", leave " + std::string(key) + " out";
        }
    }
    return fix + "; `fabricast emit FILE --stack accelerate` writes it";
}

LintHits firstFsdp(const LintView& view) {
    const LintFile& file = view.file;
    if (!isFsdp(file) || isSecond(file)) {
        return {};
    }
    const LaunchKey* const version = file.at("fsdp_config.fsdp_version");
    return {{version != nullptr ? version : file.at("distributed_type"),
             version != nullptr ? "fsdp_version is 1" : "fsdp_version is not said, which means 1",
             toSecondFsdp(file)}};
}

LintHits reshardInWords(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_reshard_after_forward";
    const LintFile& file = view.file;
    if (!isSecond(file) || !file.has(path) || file.isOn(path) || file.isOff(path)) {
        return {};
    }
    return {{file.at(path),
             "fsdp_reshard_after_forward is \"" + file.text(path) + "\", FSDP2 takes true or false",
             "fsdp_reshard_after_forward: true"}};
}

/// FullyShardedDataParallelPlugin of Accelerate 1.15: under FSDP1 sharding_strategy is FULL_SHARD
/// where nobody says it, and it wins.
LintHits unreadReshard(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_reshard_after_forward";
    const LintFile& file = view.file;
    const bool isFirst = isFsdp(file) && !isSecond(file);
    const std::string said = file.text(path);
    const bool isUsual = said.empty() || said == "FULL_SHARD" || said == "1";
    return !isFirst || isUsual || file.has("fsdp_config.fsdp_sharding_strategy")
               ? LintHits{}
               : LintHits{{file.at(path),
                           "fsdp_reshard_after_forward is " + said +
                               ", and FSDP1 takes fsdp_sharding_strategy: FULL_SHARD",
                           "fsdp_sharding_strategy: " + said}};
}

LintHits idleStrategy(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_sharding_strategy";
    if (!isSecond(view.file) || !view.file.has(path)) {
        return {};
    }
    const bool hybrid = view.file.text(path).starts_with("HYBRID");
    return {{view.file.at(path),
             "fsdp_sharding_strategy " + view.file.text(path) + " under FSDP2",
             hybrid ? "parallelism_config with dp_replicate_size and dp_shard_size"
                    : "fsdp_reshard_after_forward: true (or false for SHARD_GRAD_OP)"}};
}

LintHits idleFirstKeys(const LintView& view) {
    LintHits hits;
    for (const std::string_view key : kOfFirstFsdp) {
        const std::string path = "fsdp_config." + std::string(key);
        if (isSecond(view.file) && view.file.has(path)) {
            hits.push_back({view.file.at(path),
                            std::string(key) + " is of FSDP1, and fsdp_version is 2",
                            "leave it out"});
        }
    }
    return hits;
}

LintHits offloadsNothing(const LintView& view) {
    const LintFile& file = view.file;
    const char* const path = "fsdp_config.fsdp_activation_checkpointing_offload";
    const bool checkpoints = file.isOn("fsdp_config.fsdp_activation_checkpointing");
    if (!isFsdp(file) || !file.isOn(path) || (checkpoints && isSecond(file))) {
        return {};
    }
    return {{file.at(path),
             checkpoints ? "activations are offloaded, and fsdp_version is 1"
                         : "activations are offloaded, and not checkpointed",
             "fsdp_activation_checkpointing: true, fsdp_version: 2"}};
}

LintHits wrongMesh(const LintView& view) {
    const LintFile& file = view.file;
    const std::int64_t processes = file.whole("num_processes", 0);
    std::int64_t product = 1;
    for (const char* const axis : {"dp_replicate", "dp_shard", "tp", "cp", "sp"}) {
        product *= std::clamp<std::int64_t>(meshSize(file, axis), 1, 1'000'000);
        product = std::min<std::int64_t>(product, 1'000'000'000);
    }
    const bool isSaid = std::ranges::any_of(file.keys().all(), [](const LaunchKey& key) {
        return key.path.starts_with("parallelism_config.");
    });
    const bool others = file.text("distributed_type") == "DEEPSPEED";  // it divides the rest
    if (!isSaid || others || processes <= 0 || product == processes || product == 1) {
        return {};
    }
    return {{file.at("num_processes"),
             "num_processes is " + std::to_string(processes) + ", parallelism_config makes " +
                 std::to_string(product),
             "sizes whose product is num_processes"}};
}

LintHits bothSequences(const LintView& view) {
    if (meshSize(view.file, "cp") <= 1 || meshSize(view.file, "sp") <= 1) {
        return {};
    }
    return {{view.file.at("parallelism_config.parallelism_config_cp_size"),
             "cp and sp are both above 1",
             "one of the two"}};
}

LintHits unshardedMesh(const LintView& view) {
    const LintFile& file = view.file;
    const bool splits = meshSize(file, "tp") > 1 || meshSize(file, "cp") > 1;
    if (!splits || meshSize(file, "dp_replicate") <= 1 || meshSize(file, "dp_shard") != 1) {
        return {};
    }
    return {{file.at("parallelism_config.parallelism_config_dp_replicate_size"),
             "copies without shards beside tp or cp",
             "parallelism_config_dp_shard_size above 1, or no dp_replicate"}};
}

LintHits oneUnit(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_auto_wrap_policy";
    return isFsdp(view.file) && view.file.at(path) != nullptr &&
                   view.file.at(path)->values == std::vector<std::string>{"NO_WRAP"}
               ? LintHits{{view.file.at(path),
                           "NO_WRAP makes the whole model one unit",
                           "fsdp_auto_wrap_policy: TRANSFORMER_BASED_WRAP"}}
               : LintHits{};
}

LintHits fullPrecision(const LintView& view) {
    const LaunchKey* const key = view.file.at("mixed_precision");
    const bool isOff = key == nullptr || (key->values.size() == 1 && key->values.front() == "no");
    const std::string type = view.file.text("distributed_type");
    if (!isOff || type == "DEEPSPEED" || type.empty()) {
        return {};
    }
    return {
        {key,
         key == nullptr ? "mixed_precision is not said, which means no" : "mixed_precision is no",
         "mixed_precision: bf16"}};
}

LintHits wholeCheckpoints(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_state_dict_type";
    return isFsdp(view.file) && view.file.text(path) == "FULL_STATE_DICT"
               ? LintHits{{view.file.at(path),
                           "checkpoints are gathered on rank 0",
                           "fsdp_state_dict_type: SHARDED_STATE_DICT, and a whole one at the end"}}
               : LintHits{};
}

LintHits localCheckpoints(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_state_dict_type";
    return isSecond(view.file) && view.file.text(path) == "LOCAL_STATE_DICT"
               ? LintHits{{view.file.at(path),
                           "LOCAL_STATE_DICT under FSDP2",
                           "fsdp_state_dict_type: SHARDED_STATE_DICT"}}
               : LintHits{};
}

LintHits unevenMachines(const LintView& view) {
    const std::int64_t machines = view.file.whole("num_machines", 1);
    const std::int64_t processes = view.file.whole("num_processes", 0);
    if (machines <= 1 || processes <= 0 || processes % machines == 0) {
        return {};
    }
    return {{view.file.at("num_processes"),
             std::to_string(processes) + " processes on " + std::to_string(machines) + " machines",
             "num_processes is that of all machines together"}};
}

LintHits bothSharders(const LintView& view) {
    const auto& keys = view.file.keys();
    return keys.has("fsdp_config") && keys.has("deepspeed_config")
               ? LintHits{{view.file.at("distributed_type"),
                           "fsdp_config and deepspeed_config are both there: distributed_type " +
                               view.file.text("distributed_type") + " reads one",
                           "leave the other out"}}
               : LintHits{};
}

LintHits keptActivations(const LintView& view) {
    const char* const path = "fsdp_config.fsdp_activation_checkpointing";
    const LintFile* const trainer = view.other(LaunchKind::Trainer);
    const bool isOthers = trainer != nullptr && checkpointsByTrainer(*trainer);
    return isFsdp(view.file) && !view.file.isOn(path) && !isOthers
               ? LintHits{{view.file.at(view.file.has(path) ? path : "distributed_type"),
                           "activations are kept, unless the model's own checkpointing is on",
                           "fsdp_config: {fsdp_activation_checkpointing: true}, where memory is "
                           "short"}}
               : LintHits{};
}

/// Of accelerate launch, whatever fsdp_version is; both are true where nobody says.
LintHits unsyncedLoading(const LintView& view) {
    const LintFile& file = view.file;
    const char* const sync = "fsdp_config.fsdp_sync_module_states";
    const char* const loads = "fsdp_config.fsdp_cpu_ram_efficient_loading";
    return isFsdp(file) && file.isOff(sync) && !file.isOff(loads)
               ? LintHits{{file.at(sync),
                           std::string("fsdp_sync_module_states is false, and "
                                       "fsdp_cpu_ram_efficient_loading is ") +
                               (file.has(loads) ? "true" : "not said, which means true"),
                           "fsdp_sync_module_states: true"}}
               : LintHits{};
}

LintHits idleParameters(const LintView& view) {
    const LintFile& file = view.file;
    const std::string device = file.text("deepspeed_config.offload_param_device");
    const std::string stage = file.text("deepspeed_config.zero_stage");
    return !device.empty() && device != "none" && !stage.empty() && stage != "3"
               ? LintHits{{file.at("deepspeed_config.offload_param_device"),
                           "offload_param_device is " + device + ", and zero_stage is " + stage,
                           "zero_stage: 3, or offload_param_device: none"}}
               : LintHits{};
}

/// What DeepSpeedPlugin (_deepspeed_config_checks) takes from DeepSpeed's own file alone.
LintHits besideOwnFile(const LintView& view) {
    constexpr std::array<std::string_view, 9> kOfOwnFile = {
        "mixed_precision",
        "deepspeed_config.zero_stage",
        "deepspeed_config.gradient_accumulation_steps",
        "deepspeed_config.gradient_clipping",
        "deepspeed_config.offload_optimizer_device",
        "deepspeed_config.offload_param_device",
        "deepspeed_config.offload_optimizer_nvme_path",
        "deepspeed_config.offload_param_nvme_path",
        "deepspeed_config.zero3_save_16bit_model"};
    const LintFile& file = view.file;
    const bool isRead = file.text("distributed_type") == "DEEPSPEED" &&
                        !file.keys().source().ends_with(".sh") &&
                        file.has("deepspeed_config.deepspeed_config_file");
    LintHits hits;
    for (const std::string_view path : kOfOwnFile) {
        const LaunchKey* const key = file.at(path);
        if (!isRead || key == nullptr || !key->file.empty()) {  // typed over it, which is taken
            continue;
        }
        const std::string name(path.substr(path.rfind('.') + 1));
        hits.push_back({key, name + " beside deepspeed_config_file", "leave it out"});
    }
    return hits;
}

constexpr std::array kAccelerateRules = {
    LintRule{"AC01",
             LintSeverity::Error,
             "no distributed_type",
             "Accelerate ends at the start.",
             &noDistribution},
    LintRule{
        "AC02",
        LintSeverity::Warning,
        "FSDP1",
        "Its wrappers are no longer developed; FSDP2 shards each parameter and holds less memory.",
        &firstFsdp},
    LintRule{"AC20",
             LintSeverity::Warning,
             "a strategy of sharding in a key that FSDP1 does not read",
             "It trains with FULL_SHARD, whatever the key says.",
             &unreadReshard},
    LintRule{"AC03",
             LintSeverity::Error,
             "resharding as a strategy",
             "FSDP2's plugin ends at the start.",
             &reshardInWords},
    LintRule{"AC04",
             LintSeverity::Warning,
             "a sharding strategy under FSDP2",
             "It is ignored: every rank is in one group of shards.",
             &idleStrategy},
    LintRule{"AC05",
             LintSeverity::Warning,
             "keys of FSDP1 under FSDP2",
             "They are ignored.",
             &idleFirstKeys},
    LintRule{"AC06",
             LintSeverity::Error,
             "offloaded activations that are not checkpointed",
             "FSDP's plugin ends at the start.",
             &offloadsNothing},
    LintRule{"AC07",
             LintSeverity::Error,
             "a mesh of another size than the run",
             "The mesh cannot be made: Accelerate ends at the start.",
             &wrongMesh},
    LintRule{"AC08",
             LintSeverity::Error,
             "cp and sp together",
             "ParallelismConfig refuses it.",
             &bothSequences},
    LintRule{"AC09",
             LintSeverity::Error,
             "copies without shards beside tp or cp",
             "ParallelismConfig refuses it.",
             &unshardedMesh},
    LintRule{
        "AC10",
        LintSeverity::Warning,
        "a model that is one unit",
        "All weights are gathered at once: nothing is saved at the peak, and nothing is hidden.",
        &oneUnit},
    LintRule{"AC11",
             LintSeverity::Warning,
             "training in fp32",
             "Products run at a sixteenth of the rate of bf16, or half of it with TF32.",
             &fullPrecision},
    LintRule{"AC12",
             LintSeverity::Note,
             "checkpoints that one rank writes",
             "Rank 0 needs host memory for the whole model, and everybody waits.",
             &wholeCheckpoints},
    LintRule{"AC13",
             LintSeverity::Error,
             "local checkpoints under FSDP2",
             "The plugin refuses them.",
             &localCheckpoints},
    LintRule{"AC14",
             LintSeverity::Error,
             "processes that do not divide by machines",
             "Each machine starts as many: the rest never joins, and the start hangs.",
             &unevenMachines},
    LintRule{"AC15",
             LintSeverity::Warning,
             "FSDP and DeepSpeed in one file",
             "One of the two is ignored.",
             &bothSharders},
    LintRule{"AC16",
             LintSeverity::Note,
             "activations that are kept",
             "Most of the memory of long sequences is activations.",
             &keptActivations},
    LintRule{"AC17",
             LintSeverity::Error,
             "weights of rank 0 that no other rank gets",
             "accelerate launch ends at the start.",
             &unsyncedLoading},
    LintRule{"AC18",
             LintSeverity::Error,
             "what DeepSpeed's own file says, said once more",
             "Accelerate ends at the start: of these it reads that file alone.",
             &besideOwnFile},
    LintRule{"AC19",
             LintSeverity::Warning,
             "offload_param_device below stage 3",
             "DeepSpeed ignores it: the parameters stay on the GPU.",
             &idleParameters}};

}  // namespace

std::span<const LintRule> accelerateRules() {
    return kAccelerateRules;
}

}  // namespace fabricast
