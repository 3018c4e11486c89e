#include "planner/spec/layout_fields.h"
#include "study/flag_words.h"
#include "study/targets.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <type_traits>

namespace fabricast {
namespace {

/// Flags of Megatron, transformers, DeepSpeed, torchrun and Axolotl for one thing here.
struct FrameworkFlag {
    std::string_view name;
    std::string_view instead;  ///< up to the value
    std::string_view value;    ///< where none was typed; a switch of its own where `isWhole`
    bool isWhole = false;
};

constexpr std::array kFlags = {
    FrameworkFlag{"tensor_parallel_size", "--layout tp=", "2"},
    FrameworkFlag{"tensor_model_parallel_size", "--layout tp=", "2"},
    FrameworkFlag{"pipeline_parallel_size", "--layout pp=", "2"},
    FrameworkFlag{"pipeline_model_parallel_size", "--layout pp=", "2"},
    FrameworkFlag{"context_parallel_size", "--layout cp=", "2"},
    FrameworkFlag{"expert_model_parallel_size", "--layout ep=", "2"},
    FrameworkFlag{"expert_parallel_size", "--layout ep=", "2"},
    FrameworkFlag{"data_parallel_size", "--layout dp=", "8"},
    FrameworkFlag{"micro_batch_size", "--layout micro_batch=", "1"},
    FrameworkFlag{"mbs", "--layout micro_batch=", "1"},
    FrameworkFlag{"per_device_train_batch_size", "--layout micro_batch=", "1"},
    FrameworkFlag{"recompute", "--layout recompute=", "full"},
    FrameworkFlag{"gradient_checkpointing", "--layout recompute=", "full", true},
    FrameworkFlag{"activation_checkpointing", "--layout recompute=", "full", true},
    FrameworkFlag{"sharding", "--layout shard=", "fsdp"},
    FrameworkFlag{"shard", "--layout shard=", "fsdp"},
    FrameworkFlag{"sp", "--layout sp=", "on"},
    FrameworkFlag{"sequence_parallel", "--stack megatron --layout tp=2,sp=on", "", true},
    FrameworkFlag{"schedule", "--layout pp=2,schedule=", "1f1b"},
    FrameworkFlag{"offload", "--layout offload=", "parameters_cpu"},
    FrameworkFlag{"zero", "--stack deepspeed --layout shard=zero", "3"},
    FrameworkFlag{"zero_stage", "--stack deepspeed --layout shard=zero", "3"},
    FrameworkFlag{"ddp", "--stack ddp", "", true},
    FrameworkFlag{"fsdp", "--stack fsdp2", "", true},
    FrameworkFlag{"fsdp2", "--stack fsdp2", "", true},
    FrameworkFlag{"deepspeed", "--stack deepspeed", "", true},
    FrameworkFlag{"framework", "--stack ", "fsdp2"},
    FrameworkFlag{"batch_size", "--global-batch ", "64"},
    FrameworkFlag{"global_batch_size", "--global-batch ", "64"},
    FrameworkFlag{"train_batch_size", "--global-batch ", "64"},
    FrameworkFlag{"gbs", "--global-batch ", "64"},
    FrameworkFlag{"bs", "--global-batch ", "64"},
    FrameworkFlag{"batch", "--global-batch ", "64"},
    FrameworkFlag{"seq_len", "--seq ", "4096"},
    FrameworkFlag{"seq_length", "--seq ", "4096"},
    FrameworkFlag{"sequence_length", "--seq ", "4096"},
    FrameworkFlag{"max_length", "--seq ", "4096"},
    FrameworkFlag{"max_seq_length", "--seq ", "4096"},
    FrameworkFlag{"context_length", "--seq ", "4096"},
    FrameworkFlag{"block_size", "--seq ", "4096"},
    FrameworkFlag{"dtype", "--precision ", "bf16"},
    FrameworkFlag{"torch_dtype", "--precision ", "bf16"},
    FrameworkFlag{"mixed_precision", "--precision ", "bf16"},
    FrameworkFlag{"bf16", "--precision bf16", "", true},
    FrameworkFlag{"fp16", "--precision fp16", "", true},
    FrameworkFlag{"optim", "--optimizer ", "adamw"},
    FrameworkFlag{"lora", "--tuning lora", "", true},
    FrameworkFlag{"qlora", "--tuning qlora", "", true},
    FrameworkFlag{"load_in_4bit", "--tuning qlora", "", true},
    FrameworkFlag{"lora_r", "--lora-rank ", "16"},
    FrameworkFlag{"rank", "--lora-rank ", "16"},
    FrameworkFlag{"nnodes", "-n ", "2"},
    FrameworkFlag{"num_nodes", "-n ", "2"},
    FrameworkFlag{"nproc_per_node", "--gpus-per-node ", "8"},
    FrameworkFlag{"num_gpus", "--gpus ", "8"},
    FrameworkFlag{"num_processes", "--gpus ", "8"},
    FrameworkFlag{"world_size", "--gpus ", "8"},
    FrameworkFlag{"target", "fabricast size --target ", "days=30"},
    FrameworkFlag{"minimize", "fabricast plan --objective ", "cost"},
    FrameworkFlag{"budget", "fabricast size --target budget=", "2M"},
    FrameworkFlag{"compile", "--set settings.kernels.compile=true", "", true},
    FrameworkFlag{"torch_compile", "--set settings.kernels.compile=true", "", true},
    FrameworkFlag{"liger", "--set settings.kernels.loss=liger", "", true},
    FrameworkFlag{"use_liger_kernel",
                  "--set settings.kernels.loss=liger --set settings.kernels.norm=liger "
                  "--set settings.kernels.rope=liger --set settings.kernels.activation=liger",
                  "",
                  true},
};

/// "bf16" of "torch.bfloat16", as PyTorch names the types.
std::string_view ownPrecision(std::string_view typed) {
    constexpr std::string_view kTorch = "torch.";
    typed.remove_prefix(typed.starts_with(kTorch) ? kTorch.size() : 0);
    return typed == "float32"    ? "fp32"
           : typed == "bfloat16" ? "bf16"
           : typed == "float16"  ? "fp16"
                                 : typed;
}

/// A count of --layout.
bool isLayoutCount(std::string_view name) {
    bool isCount = false;
    const Layout any;
    eachField(any, [&](const auto& field, const auto& value) {
        isCount = isCount || (field.name == name &&
                              std::is_same_v<std::remove_cvref_t<decltype(value)>, std::int64_t>);
    });
    return isCount;
}

}  // namespace

std::string flagInstead(std::string_view typed, std::string_view value) {
    std::string name(typed);
    std::ranges::replace(name, '-', '_');
    const auto* const found = std::ranges::find(kFlags, name, &FrameworkFlag::name);
    if (name == "target" && isTargetOfStep(value)) {
        return "fabricast plan --target " + std::string(value);
    }
    if (found != kFlags.end()) {
        const bool isTyped = !found->isWhole && !value.empty();
        const bool isPrecision = found->instead == "--precision ";
        return std::string(found->instead) + std::string(!isTyped      ? found->value
                                                         : isPrecision ? ownPrecision(value)
                                                                       : value);
    }
    return isLayoutCount(name) ? "--layout " + name + "=" + std::string(value.empty() ? "2" : value)
                               : std::string();
}

}  // namespace fabricast
