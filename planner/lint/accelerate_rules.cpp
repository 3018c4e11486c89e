#include "planner/lint/framework_files.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

std::int64_t meshSize(const LintFile& file, const std::string& axis) {
    return file.whole("parallelism_config.parallelism_config_" + axis + "_size", 1);
}

LintHits noDistribution(const LintView& view) {
    return view.file.has("distributed_type")
               ? LintHits{}
               : LintHits{{nullptr, "distributed_type is not said", "distributed_type: FSDP"}};
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
    return accelerateUsesFsdp(view.file) && !view.file.isOn(path) && !isOthers
               ? LintHits{{view.file.at(view.file.has(path) ? path : "distributed_type"),
                           "activations are kept, unless the model's own checkpointing is on",
                           "fsdp_config: {fsdp_activation_checkpointing: true}, where memory is "
                           "short"}}
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
    LintRule{"AC11",
             LintSeverity::Warning,
             "training in fp32",
             "Products run at a sixteenth of the rate of bf16, or half of it with TF32.",
             &fullPrecision},
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
    LintRule{"AC18",
             LintSeverity::Error,
             "what DeepSpeed's own file says, said once more",
             "Accelerate ends at the start: of these it reads that file alone.",
             &besideOwnFile},
    LintRule{"AC19",
             LintSeverity::Warning,
             "offload_param_device below stage 3",
             "DeepSpeed ignores it: the parameters stay on the GPU.",
             &idleParameters},
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
             &unshardedMesh}};

}  // namespace

std::span<const LintRule> accelerateRules() {
    return kAccelerateRules;
}

}  // namespace fabricast
