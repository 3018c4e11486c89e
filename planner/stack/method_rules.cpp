#include "planner/spec/kernel_names.h"
#include "planner/spec/peft_targets.h"
#include "planner/spec/setting_names.h"
#include "planner/stack/optimizer_numbers.h"
#include "planner/stack/rules.h"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <string_view>
#include <utility>

// Optimizers, precisions and adapters that a stack has.
namespace fabricast {

namespace {

template <class T>
Result<void> checkOne(std::string_view stack,
                      std::string_view key,
                      T value,
                      std::span<const T> known) {
    if (std::find(known.begin(), known.end(), value) != known.end()) {
        return {};
    }
    std::string list;
    for (const T each : known) {
        list += (list.empty() ? "one of: " : ", ") + std::string(nameOf(each));
    }
    return lacks(key,
                 std::string(stack) + " does not support " +
                     std::string(key.substr(key.rfind('.') + 1)) + " " + std::string(nameOf(value)),
                 list.empty() ? "another stack" : list);
}

/// "--stack ddp, fsdp2"; nothing where none has it.
template <class T>
std::string stacksHaving(std::span<const T> StackMethods::*list, T value) {
    std::string names;
    for (const Stack& one : allStacks()) {
        const std::span<const T> its = one.methods.*list;
        if (std::find(its.begin(), its.end(), value) != its.end()) {
            names += (names.empty() ? "--stack " : ", ") + std::string(one.name);
        }
    }
    return names;
}

/// What a flag chooses of a stack: refused with what to type behind it, or of the stacks that have
/// it.
template <class T>
Result<void> checkFlag(std::string_view stack,
                       const StackMethods& methods,
                       std::string_view key,
                       std::string_view flag,
                       std::span<const T> StackMethods::*list,
                       T value) {
    const std::span<const T> known = methods.*list;
    if (std::find(known.begin(), known.end(), value) != known.end()) {
        return {};
    }
    std::string hint;
    for (const T each : known) {
        hint += (hint.empty() ? std::string(flag) + " " : ", ") + std::string(nameOf(each));
    }
    const std::string others = stacksHaving(list, value);
    hint += (hint.empty() || others.empty() ? "" : "; or ") + others;
    return lacks(key,
                 std::string(stack) + " does not support " + std::string(flag) + " " +
                     std::string(nameOf(value)),
                 std::move(hint));
}

constexpr std::array kWide = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16};
constexpr std::array kWeights = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16, Dtype::Fp8};
constexpr std::array kBases = {Dtype::Bf16, Dtype::Fp16, Dtype::Fp32, Dtype::Nf4, Dtype::Int8};

/// 8-bit weights and moments are Megatron's (fp8_param_gather, the precision-aware optimizer);
/// everything else is stored and sent in 16 or 32 bits.
Result<void> checkStorage(std::string_view stack, const Settings& settings) {
    const PrecisionSettings& precision = settings.precision;
    const bool megatron = settings.engine == Engine::Megatron;
    const bool narrow = megatron && settings.kernels.quantization != Quantization::None;
    const std::span<const Dtype> wide = kWide;
    const std::span<const Dtype> withFp8 = kWeights;
    FABRICAST_TRY(checkOne(
        stack, "settings.precision.parameters", precision.parameters, narrow ? withFp8 : wide));
    FABRICAST_TRY(checkOne(stack, "settings.precision.gradients", precision.gradients, wide));
    FABRICAST_TRY(checkOne(stack, "settings.precision.reduce", precision.reduce, wide));
    return checkOne(
        stack, "settings.precision.moments", precision.moments, megatron ? withFp8 : wide);
}

/// PEFT's modules_to_save: the tables of transformers' models.
Result<void> checkSavedModules(const Settings& settings) {
    const NameSet& modules = settings.lora.modulesToSave;
    const auto other = std::ranges::find_if(modules, [](const std::string& module) {
        return std::ranges::find(kSavedModules, module) == kSavedModules.end();
    });
    if (other != modules.end()) {
        return lacks("settings.lora.modules_to_save",
                     "\"" + *other + "\" trained whole beside adapters is not modelled",
                     "embed_tokens+lm_head");
    }
    if (!modules.empty() && settings.kernels.code != ModelCode::HuggingFace) {
        return lacks("settings.lora.modules_to_save",
                     "tables trained whole beside adapters are not modelled of " +
                         std::string(nameOf(settings.kernels.code)) + "'s layers",
                     "--stack axolotl or accelerate");
    }
    return {};
}

Result<void> checkAdapter(std::string_view stack,
                          const StackMethods& methods,
                          const LoraSettings& lora) {
    const bool quantized = isQuantized(lora.base);
    if (!methods.lora) {
        return lacks(
            "settings.tuning",
            std::string(stack) + " has no LoRA",
            quantized ? "stack=axolotl or accelerate" : "stack=nemo, axolotl or accelerate");
    }
    FABRICAST_TRY(
        checkOne(stack, "settings.lora.dtype", lora.dtype, std::span<const Dtype>(kWide)));
    FABRICAST_TRY(checkOne(stack, "settings.lora.base", lora.base, std::span<const Dtype>(kBases)));
    if (quantized && !methods.quantizedBase) {
        return lacks("settings.lora.base",
                     std::string(stack) + " has no " + std::string(nameOf(lora.base)) + " base",
                     "--tuning lora, or --stack axolotl");
    }
    return {};
}

/// Kernels that only Transformer Engine has.
Result<void> checkEngineKernels(const KernelSettings& kernels) {
    const bool hasThem = kernels.code == ModelCode::TransformerEngine;
    if (kernels.fp8Attention && (!hasThem || kernels.quantization == Quantization::None)) {
        return lacks("settings.kernels.fp8_attention",
                     "attention in fp8 (fp8_dot_product_attention) is Transformer Engine's, in "
                     "layers that multiply in fp8",
                     hasThem ? "--precision fp8, or false"
                             : "false, or --stack megatron with --precision fp8");
    }
    if (kernels.fp8Attention && kernels.quantization == Quantization::Fp8Blockwise) {
        return breaks("settings.kernels.fp8_attention",
                      "FP8 attention is not supported for Float8BlockScaling.",
                      "false, or another --precision");
    }
    if (kernels.fusedOps && (!hasThem || kernels.quantization == Quantization::None)) {
        return lacks("settings.kernels.fused_ops",
                     "operations that write what the next product reads "
                     "(use_transformer_engine_op_fuser) are Transformer Engine's, in layers that "
                     "multiply in fp8",
                     hasThem ? "--precision fp8, or false"
                             : "false, or --stack megatron with --precision fp8");
    }
    if (kernels.documentTokens > 0 && kernels.attention == AttentionKernel::Unfused) {
        return lacks("settings.kernels.document_tokens",
                     "attention that keeps its scores computes them for the whole sequence",
                     "0, or settings.kernels.attention=flash");
    }
    const bool isMx = kernels.quantization == Quantization::MxFp8;
    if (kernels.fusedExperts &&
        (!isMx || !hasThem || kernels.experts != ExpertKernel::GroupedFused)) {
        return lacks("settings.kernels.fused_experts",
                     "experts in one kernel are Transformer Engine's grouped products in MXFP8",
                     hasThem ? "false, or --precision mxfp8 on a Blackwell GPU"
                             : "false, or --stack megatron with --precision mxfp8 on a Blackwell "
                               "GPU");
    }
    return {};
}

}  // namespace

Result<void> checkMethods(std::string_view stack,
                          const StackMethods& methods,
                          const Settings& settings) {
    FABRICAST_TRY(checkFlag(stack,
                            methods,
                            "settings.optimizer.kind",
                            "--optimizer",
                            &StackMethods::optimizers,
                            settings.optimizer.kind));
    FABRICAST_TRY(
        checkOne(stack, "settings.precision.compute", settings.precision.compute, methods.compute));
    if (settings.kernels.quantization != Quantization::None) {
        FABRICAST_TRY(checkFlag(stack,
                                methods,
                                "settings.kernels.quantization",
                                "--precision",
                                &StackMethods::quantizations,
                                settings.kernels.quantization));
    }
    if (settings.recompute.kind != Checkpointing::None) {
        FABRICAST_TRY(
            checkOne(stack, "layout.recompute", settings.recompute.kind, methods.recompute));
    }
    const bool together =
        settings.recompute.kind == Checkpointing::Full && settings.recompute.layers > 1;
    if (together &&
        std::ranges::find(methods.recompute, Checkpointing::Block) == methods.recompute.end()) {
        return lacks("layout.recompute",
                     std::string(stack) +
                         " checkpoints each layer by itself; several in one "
                         "(recompute_method=uniform) are Megatron's",
                     "recompute=full");
    }
    FABRICAST_TRY(checkEngineKernels(settings.kernels));
    FABRICAST_TRY(checkStorage(stack, settings));
    FABRICAST_TRY(checkOptimizerNumbers(settings));
    FABRICAST_TRY(checkProductsOfBase(settings));
    FABRICAST_TRY(checkSavedModules(settings));
    return settings.tuning == Tuning::Lora ? checkAdapter(stack, methods, settings.lora)
                                           : Result<void>{};
}

}  // namespace fabricast
