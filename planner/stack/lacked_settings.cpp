#include "planner/stack/lacked_settings.h"

#include <array>

namespace fabricast {
namespace {

bool runsMegatron(const Stack&, const Settings& asked) {
    const ModelCode code = asked.kernels.code;
    return code == ModelCode::Megatron || code == ModelCode::TransformerEngine;
}

bool runsOther(const Stack& stack, const Settings& asked) {
    return !runsMegatron(stack, asked);
}

bool runsMegatronFsdp(const Stack&, const Settings& asked) {
    return asked.engine == Engine::MegatronFsdp;
}

bool runsDeepSpeed(const Stack&, const Settings& asked) {
    return asked.engine == Engine::DeepSpeed;
}

bool runsAny(const Stack&, const Settings&) {
    return true;
}

bool runsTitan(const Stack&, const Settings& asked) {
    return asked.kernels.code == ModelCode::TorchTitan;
}

bool runsTransformers(const Stack&, const Settings& asked) {
    return asked.kernels.code == ModelCode::HuggingFace;
}

bool isNotTitan(const Stack& stack, const Settings&) {
    return stack.name != "torchtitan";
}

bool isAxolotl(const Stack& stack, const Settings&) {
    return stack.name == "axolotl";
}

/// Whatever the value.
bool every(const Settings&) {
    return true;
}

template <auto kGroup, auto kMember>
void putBack(Settings& asked, const Settings& own) {
    asked.*kGroup.*kMember = own.*kGroup.*kMember;
}

template <auto kMember>
constexpr auto kTorch = &putBack<&Settings::torch, kMember>;
template <auto kMember>
constexpr auto kKernel = &putBack<&Settings::kernels, kMember>;
template <auto kMember>
constexpr auto kPipeline = &putBack<&Settings::pipeline, kMember>;
constexpr auto kOptimizerKernel = &putBack<&Settings::optimizer, &OptimizerSettings::kernel>;

struct Lack {
    bool (*who)(const Stack& stack, const Settings& asked);
    bool (*lacks)(const Settings& asked);  ///< of the values
    void (*putBack)(Settings& asked, const Settings& own);
};

// Read in Megatron-Core 0.16.1, torchtitan 0.3.0, DeepSpeed 0.19.8, transformers 5.23 and Axolotl
// 0.19.
constexpr std::array kLacks = {
    // data_parallel_sharding_strategy alone says what is freed, and what is reduced when: sharded
    // gradients in every backward.
    Lack{&runsMegatronFsdp, &every, kTorch<&TorchSettings::reshard>},
    Lack{&runsMegatronFsdp, &every, kTorch<&TorchSettings::sync>},
    // It never calls set_requires_gradient_sync for its layers, and replicates without DDP's
    // gradient_as_bucket_view.
    Lack{&runsTitan, &every, kTorch<&TorchSettings::sync>},
    Lack{&runsTitan, &every, kTorch<&TorchSettings::bucketView>},
    // Trainer's model.zero_grad() has no arguments.
    Lack{&isAxolotl, &every, kTorch<&TorchSettings::setToNone>},
    // FusedAdam of Transformer Engine or apex; torch's own, with its default, without them.
    Lack{&runsMegatron,
         [](const Settings& asked) {
             return asked.kernels.code == ModelCode::TransformerEngine ||
                    asked.optimizer.kernel != OptimizerKernel::Foreach;
         },
         kOptimizerKernel},
    // optimizer.implementation is fused, foreach or for-loop.
    Lack{&runsTitan,
         [](const Settings& asked) {
             return asked.optimizer.kernel == OptimizerKernel::DeepSpeed ||
                    asked.optimizer.kernel == OptimizerKernel::BitsAndBytes;
         },
         kOptimizerKernel},
    // adamw_torch takes no foreach=False; DeepSpeed's own comes with its configuration.
    Lack{&isAxolotl,
         [](const Settings& asked) {
             return asked.optimizer.kernel == OptimizerKernel::ForLoop ||
                    (asked.optimizer.kernel == OptimizerKernel::DeepSpeed &&
                     asked.engine != Engine::DeepSpeed);
         },
         kOptimizerKernel},
    // torch_compile_mode says it of layers that are compiled.
    Lack{&isAxolotl,
         [](const Settings& asked) { return !asked.kernels.compile; },
         kKernel<&KernelSettings::cudaGraphs>},
    // Its jit_fuser compiles functions of its own, always, and no layers.
    Lack{&runsMegatron, &every, kKernel<&KernelSettings::compile>},
    // A rank has a part of the start and one of the end, whichever cp_comm_type.
    Lack{&runsMegatron, &every, kKernel<&KernelSettings::balancedContext>},
    // NVTE_FLASH_ATTN, NVTE_FUSED_ATTN or NVTE_UNFUSED_ATTN.
    Lack{&runsMegatron,
         [](const Settings& asked) {
             const AttentionCode code = asked.kernels.attentionCode;
             return code == AttentionCode::Native || code == AttentionCode::Triton ||
                    code == AttentionCode::Math;
         },
         kKernel<&KernelSettings::attentionCode>},
    // moe_router_dtype is fp32 or fp64; without it, the layers' own.
    Lack{&runsMegatron,
         [](const Settings& asked) { return bytesPerElement(asked.kernels.routerDtype) < 2; },
         kKernel<&KernelSettings::routerDtype>},
    // nn.RMSNorm.
    Lack{&runsTitan,
         [](const Settings& asked) { return asked.kernels.norm == NormKernel::Fp32; },
         kKernel<&KernelSettings::norm>},
    // CrossEntropyLoss of fp32 logits, whole, in chunks, or on each rank's part of the vocabulary.
    Lack{&runsTitan,
         [](const Settings& asked) {
             const LossKernel loss = asked.kernels.loss;
             return loss == LossKernel::HuggingFace || loss == LossKernel::LogitsDtype ||
                    loss == LossKernel::Fused;
         },
         kKernel<&KernelSettings::loss>},
    // Transformer Engine's TEGroupedMLP.
    Lack{&runsOther,
         [](const Settings& asked) { return asked.kernels.experts == ExpertKernel::GroupedFused; },
         kKernel<&KernelSettings::experts>},
    // Which of them a model has is its own code's.
    Lack{&runsTransformers, &every, kKernel<&KernelSettings::fusedQkv>},
    Lack{&runsTransformers,
         [](const Settings& asked) { return asked.kernels.rope == RopeKernel::Complex; },
         kKernel<&KernelSettings::rope>},
    // torchtitan's gradient accumulation around a pipeline.
    Lack{&isNotTitan, &every, kPipeline<&PipelineSettings::passes>},
    // Each has one way: DeepSpeed's stages send, then receive; the others do both at once.
    Lack{&runsAny, &every, kPipeline<&PipelineSettings::serialExchange>},
    // partition_method is parameters, uniform or a type of layers.
    Lack{&runsDeepSpeed, &every, kPipeline<&PipelineSettings::embeddingWeight>},
    Lack{&runsDeepSpeed, &every, kPipeline<&PipelineSettings::headWeight>},
    Lack{&runsDeepSpeed, &every, kPipeline<&PipelineSettings::firstStageLayers>},
    Lack{&runsDeepSpeed, &every, kPipeline<&PipelineSettings::lastStageLayers>}};

}  // namespace

Settings withoutLacked(const Stack& stack, Settings asked, const Settings& own) {
    for (const Lack& lack : kLacks) {
        if (lack.who(stack, asked) && lack.lacks(asked)) {
            lack.putBack(asked, own);
        }
    }
    return asked;
}

}  // namespace fabricast
