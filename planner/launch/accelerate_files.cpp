#include "planner/launch/hugging_face.h"
#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/launch_file_writers.h"
#include "planner/launch/liger_kernels.h"
#include "planner/spec/setting_names.h"

#include <vector>

namespace fabricast {
namespace {

/// The optimizer, unless the Trainer has no name for it.
std::vector<std::string_view> toldToAccelerate(const Settings& settings) {
    std::vector<std::string_view> told = {"deepspeed.*",
                                          "precision.compute",
                                          "precision.parameters",
                                          "torch.reshard",
                                          "torch.one_unit",
                                          "kernels.compile",
                                          "kernels.attention",
                                          "kernels.attention_code",
                                          "phases.evaluation_batch",
                                          "engine",
                                          "recompute.kind",
                                          "precision.autocast"};
    if (saysOptimizer(settings.optimizer)) {
        told.insert(told.end(), {"optimizer.kind", "optimizer.library", "optimizer.kernel"});
    }
    return told;
}

bool isFsdpShard(Shard shard) {
    return shard == Shard::Fsdp || shard == Shard::Hsdp;
}

std::string line(const std::string& key, const std::string& value) {
    return key + ": " + value + "\n";
}
std::string line(const std::string& key, std::int64_t value) {
    return line(key, std::to_string(value));
}
std::string line(const std::string& key, bool value) {
    return line(key, std::string(value ? "true" : "false"));
}

std::string distributedType(const Scenario& scenario) {
    if (isZero(scenario.layout.shard)) {
        return "DEEPSPEED";
    }
    if (isFsdpShard(scenario.layout.shard)) {
        return "FSDP";
    }
    return scenario.layout.world() == 1 ? "'NO'" : "MULTI_GPU";
}

std::string fsdpLines(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    const std::string block = blockClassOf(scenario.model);
    const bool reshards = scenario.settings.torch.reshard != Reshard::Never;
    const bool recomputes = scenario.settings.recompute.kind == Checkpointing::Full;
    std::string text = "fsdp_config:\n";
    text += line("  fsdp_version", std::int64_t{2});
    text += line("  fsdp_reshard_after_forward", reshards);
    const bool isOne = scenario.settings.torch.oneUnit;
    text +=
        line("  fsdp_auto_wrap_policy", std::string(isOne ? "NO_WRAP" : "TRANSFORMER_BASED_WRAP"));
    text += block.empty() || isOne ? "" : line("  fsdp_transformer_layer_cls_to_wrap", block);
    text += line("  fsdp_state_dict_type", std::string("SHARDED_STATE_DICT"));
    text += line("  fsdp_offload_params", scenario.layout.offload == Offload::ParametersCpu);
    // torchao's 8-bit linears are refused with it, and so are weights that are unpacked.
    text += line(
        "  fsdp_cpu_ram_efficient_loading",
        scenario.settings.kernels.quantization == Quantization::None && unpackingOf(facts).empty());
    text += line("  fsdp_activation_checkpointing", recomputes);
    return text;
}

/// Only where there is more than one kind of rank: HSDP, tensor and context parallelism.
std::string meshLines(const Scenario& scenario) {
    const Layout& layout = scenario.layout;
    const bool zero = isZero(layout.shard);
    const std::int64_t group = layout.shardSize > 0 ? layout.shardSize : layout.replicas();
    const std::int64_t replicas = layout.replicas() / group;
    const bool isPlain = replicas == 1 && layout.tp == 1 && layout.cp == 1;
    if (isPlain || (zero && layout.cp == 1)) {
        return "";
    }
    const std::string key = "  parallelism_config_";
    std::string text = "parallelism_config:\n";
    if (zero) {
        return text + line(key + "sp_size", layout.cp) +
               line(key + "sp_backend", std::string("deepspeed")) +
               line(key + "sp_seq_length", scenario.workload.sequence) +
               line(key + "sp_attn_implementation", attentionName(scenario));
    }
    text += line(key + "dp_replicate_size", replicas);
    text += line(key + "dp_shard_size", group / layout.cp);
    text += line(key + "tp_size", layout.tp);
    text += line(key + "cp_size", layout.cp);
    if (layout.cp > 1) {
        const bool ring = layout.cpKind == CpKind::Ring;
        text += line(key + "cp_backend", std::string("torch"));
        text += line(key + "cp_comm_strategy", std::string(ring ? "alltoall" : "allgather"));
    }
    return text;
}

std::string zeroLines(const Scenario& scenario) {
    return "deepspeed_config:\n" + line("  deepspeed_config_file", std::string("deepspeed.json")) +
           line("  zero3_init_flag", scenario.layout.shard == Shard::Zero3) +
           line("  deepspeed_multinode_launcher", std::string("standard"));
}

std::string mixedPrecision(const Settings& settings) {
    if (settings.kernels.quantization != Quantization::None) {
        return "fp8";
    }
    if (trainsHalves(settings)) {
        return "'no'";
    }
    switch (settings.precision.compute) {
        case Dtype::Bf16:
            return "bf16";
        case Dtype::Fp16:
            return "fp16";
        default:
            return "'no'";
    }
}

/// torchao's linears, whose recipe is tensorwise where the script makes no other one.
std::string fp8Lines(const Settings& settings) {
    return settings.kernels.quantization == Quantization::None ? ""
                                                               : "fp8_config:\n  backend: AO\n";
}

/// The recipe of torchao, where it is not the one that Accelerate makes itself.
void addFp8Recipe(const Settings& settings, std::vector<std::string>& untold) {
    constexpr std::string_view kBefore = "fp8_";
    const std::string name(nameOf(settings.kernels.quantization));
    if (settings.kernels.quantization == Quantization::Fp8Tensorwise) {
        std::erase(untold, "settings.kernels.quantization=" + name);
    } else if (name.starts_with(kBefore)) {
        untold.push_back("train.py: AORecipeKwargs(config=Float8LinearConfig.from_recipe_name(\"" +
                         name.substr(kBefore.size()) + "\"))");
    }
}

void addScriptParts(const Scenario& scenario, std::vector<std::string>& untold) {
    const Settings& settings = scenario.settings;
    if (settings.torch.sync == GradientSync::EachMicroBatch && !isZero(scenario.layout.shard)) {
        untold.emplace_back("train.py: GradientAccumulationPlugin(sync_each_batch=True)");
    }
}

}  // namespace

Result<LaunchFiles> accelerateFiles(const LaunchFacts& facts) {
    const Scenario& scenario = facts.scenario;
    const ClusterSpec& cluster = scenario.cluster;
    LaunchFiles files;
    FABRICAST_TRY(checkAttention(scenario));
    FABRICAST_ASSIGN(files.untold,
                     untoldByTransformers(scenario, toldToAccelerate(scenario.settings)));
    addFp8Recipe(scenario.settings, files.untold);
    addScriptParts(scenario, files.untold);
    std::string text = commentOf(facts.about) + "compute_environment: LOCAL_MACHINE\n";
    text += line("distributed_type", distributedType(scenario));
    if (!isZero(scenario.layout.shard)) {  // deepspeed.json says it
        text += line("mixed_precision", mixedPrecision(scenario.settings));
        text += fp8Lines(scenario.settings);
    }
    text += line("num_machines", cluster.nodes);
    text += line("num_processes", cluster.gpus());
    text += "machine_rank: 0\nmain_training_function: main\nrdzv_backend: static\n";
    text += "same_network: true\nuse_cpu: false\n";
    if (scenario.settings.kernels.compile) {
        text += "dynamo_config:\n  dynamo_backend: INDUCTOR\n";
    }
    text += isFsdpShard(scenario.layout.shard) ? fsdpLines(facts) : "";
    text += meshLines(scenario);
    if (isZero(scenario.layout.shard)) {
        text += zeroLines(scenario);
        FABRICAST_ASSIGN(std::string zero, deepspeedJson(facts, OptimizerOwner::Script));
        files.files.push_back({"deepspeed.json", std::move(zero)});
    }
    files.files.insert(files.files.begin(), {"accelerate.yaml", std::move(text)});
    files.command = {"accelerate"};
    FABRICAST_TRY(
        addTrainerArguments(facts, {.recomputes = !isFsdpShard(scenario.layout.shard)}, files));
    addAdapterArguments(facts, files);
    addLigerArguments(scenario, files);
    addSavingArguments(facts, files);
    files.command.emplace_back(kTypedBehind);
    return files;
}

}  // namespace fabricast
