#include "planner/spec/setting_names.h"
#include "planner/stack/rules.h"

#include <algorithm>
#include <array>

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

Result<void> checkAdapter(std::string_view stack,
                          const StackMethods& methods,
                          const LoraSettings& lora) {
    if (!methods.lora) {
        return lacks("settings.tuning",
                     std::string(stack) + " has no LoRA",
                     "stack=nemo, axolotl or accelerate");
    }
    FABRICAST_TRY(
        checkOne(stack, "settings.lora.dtype", lora.dtype, std::span<const Dtype>(kWide)));
    FABRICAST_TRY(checkOne(stack, "settings.lora.base", lora.base, std::span<const Dtype>(kBases)));
    const bool quantized = lora.base == Dtype::Nf4 || lora.base == Dtype::Int8;
    if (quantized && !methods.quantizedBase) {
        return lacks("settings.lora.base",
                     std::string(stack) + " has no " + std::string(nameOf(lora.base)) + " base",
                     "base=bf16, or stack=axolotl");
    }
    return {};
}

}  // namespace

Result<void> checkMethods(std::string_view stack,
                          const StackMethods& methods,
                          const Settings& settings) {
    FABRICAST_TRY(
        checkOne(stack, "settings.optimizer.kind", settings.optimizer.kind, methods.optimizers));
    FABRICAST_TRY(
        checkOne(stack, "settings.precision.compute", settings.precision.compute, methods.compute));
    if (settings.kernels.quantization != Quantization::None) {
        FABRICAST_TRY(checkOne(stack,
                               "settings.kernels.quantization",
                               settings.kernels.quantization,
                               methods.quantizations));
    }
    if (settings.recompute.kind != Checkpointing::None) {
        FABRICAST_TRY(
            checkOne(stack, "layout.recompute", settings.recompute.kind, methods.recompute));
    }
    FABRICAST_TRY(checkStorage(stack, settings));
    return settings.tuning == Tuning::Lora ? checkAdapter(stack, methods, settings.lora)
                                           : Result<void>{};
}

}  // namespace fabricast
