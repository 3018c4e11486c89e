#include "planner/spec/setting_names.h"
#include "planner/stack/rules.h"

#include <algorithm>

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
    if (settings.tuning != Tuning::Lora) {
        return {};
    }
    if (!methods.lora) {
        return lacks("settings.tuning",
                     std::string(stack) + " has no LoRA",
                     "stack=nemo, axolotl or accelerate");
    }
    const Dtype base = settings.lora.base;
    const bool quantized = base == Dtype::Nf4 || base == Dtype::Int8;
    if (quantized && !methods.quantizedBase) {
        return lacks("settings.lora.base",
                     std::string(stack) + " has no " + std::string(nameOf(base)) + " base",
                     "base=bf16, or stack=axolotl");
    }
    return {};
}

}  // namespace fabricast
