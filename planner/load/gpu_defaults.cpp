#include "planner/load/asked_question.h"
#include "planner/load/scenario_defaults.h"
#include "planner/spec/attention_model.h"
#include "planner/spec/kernel_names.h"
#include "planner/spec/megatron_shape.h"
#include "planner/stack/model_code.h"

#include <algorithm>
#include <utility>

namespace fabricast {
namespace {

bool isTyped(const ScenarioRequest& request, std::string_view group, std::string_view key) {
    const JsonValue* const keys = request.settings.find(group);
    return keys != nullptr && keys->find(key) != nullptr;
}

/// A launch file says its own: what it leaves open is its framework's default.
bool saysPrecision(const ScenarioRequest& request) {
    if (request.workload.precision == kPrecisionOfGpu) {
        return false;
    }
    return !request.madeOf.empty() || !request.workload.precision.empty() ||
           isTyped(request, "precision", "compute") || isTyped(request, "precision", "parameters");
}

bool computesIn(const Stack& stack, Dtype type) {
    return std::ranges::find(stack.methods.compute, type) != stack.methods.compute.end();
}

bool isTransformerEngine(const KernelSettings& kernels) {
    return kernels.code == ModelCode::TransformerEngine || kernels.code == ModelCode::Megatron;
}

/// Of transformers and PyTorch: whether a package's kernel is meant, and not PyTorch's own choice.
bool isPackage(const KernelSettings& kernels) {
    return kernels.attention == AttentionKernel::Flash &&
           kernels.attentionCode != AttentionCode::Native &&
           kernels.attentionCode != AttentionCode::Math;
}

/// Whether the memory and time of a stack are modelled for a model that it has no code for.
bool isForecast(const Stack& stack, const ModelSpec& model) {
    return !isTransformerEngine(defaultSettings(stack, model, Layout{}).kernels) ||
           checkMegatronShape(model).has_value();
}

}  // namespace

Result<Settings> withGpuDefaults(const ScenarioRequest& request,
                                 const Stack& stack,
                                 const GpuSpec& gpu,
                                 Settings settings) {
    if (settings.precision.compute == Dtype::Bf16 && !multipliesBf16(gpu) &&
        !saysPrecision(request) && computesIn(stack, Dtype::Fp16)) {
        const LoraSettings typed = settings.lora;
        FABRICAST_ASSIGN(settings, withPrecision(std::move(settings), "fp16", ""));
        LoraSettings& lora = settings.lora;
        lora.base = isTyped(request, "lora", "base") ? typed.base : lora.base;
        lora.dtype = isTyped(request, "lora", "dtype") ? typed.dtype : lora.dtype;
    }
    if (!takesTf32(gpu) && !isTyped(request, "precision", "tf32")) {
        settings.precision.tf32 = false;
    }
    if (runsFlashAttention(gpu) || isTyped(request, "kernels", "attention_code")) {
        return settings;
    }
    KernelSettings& kernels = settings.kernels;
    if (!isTransformerEngine(kernels)) {
        kernels.attentionCode = isPackage(kernels) ? AttentionCode::Native : kernels.attentionCode;
    } else if (!isTyped(request, "kernels", "attention")) {
        kernels.attention = AttentionKernel::Unfused;
    }
    return settings;
}

void addGpuNotes(const ScenarioRequest& request,
                 const Scenario& scenario,
                 std::vector<std::string>& assumed) {
    const GpuSpec& gpu = scenario.cluster.node.gpu;
    const auto add = [&assumed](std::string note) {
        if (std::ranges::find(assumed, note) == assumed.end()) {
            assumed.push_back(std::move(note));
        }
    };
    if (scenario.settings.precision.compute == Dtype::Fp16 && !multipliesBf16(gpu) &&
        !saysPrecision(request)) {
        add("precision fp16 (" + gpu.name + " does not multiply in bf16)");
    }
    const KernelSettings& kernels = scenario.settings.kernels;
    const PrecisionSettings& precision = scenario.settings.precision;
    if (precision.compute == Dtype::Fp32 && precision.tf32 && !isTransformerEngine(kernels) &&
        !isTyped(request, "precision", "tf32")) {
        add("products in fp32 are made in TF32, which a program has to ask PyTorch for (--set "
            "settings.precision.tf32=false where it does not)");
    }
    const bool isSaid =
        isTyped(request, "kernels", "attention") || isTyped(request, "kernels", "attention_code");
    if (runsFlashAttention(gpu) || isSaid) {
        return;
    }
    const bool isEngine = isTransformerEngine(kernels);
    if (isEngine && kernels.attention == AttentionKernel::Unfused) {
        add("attention unfused (Transformer Engine's other kernels need compute capability 8.0; " +
            capabilityText(gpu) + ")");
    } else if (!isEngine && kernels.attention == AttentionKernel::Flash) {
        add("attention sdpa, PyTorch's memory-efficient kernel (FlashAttention's need compute "
            "capability 8.0; " +
            capabilityText(gpu) + ")");
    }
}

bool multipliesIn(const ScenarioRequest& request, const Stack& stack, const GpuSpec& gpu) {
    const bool isOpen = !saysPrecision(request);
    const bool isFp16 = request.workload.precision == "fp16" || (isOpen && !multipliesBf16(gpu));
    return !isFp16 || computesIn(stack, Dtype::Fp16);
}

std::string whyLeftOut(const ScenarioRequest& request,
                       std::string_view stack,
                       const ModelSpec& model,
                       const GpuSpec& gpu) {
    const std::string name(stack);
    const std::string what = "left out: " + name + ": ";
    const Result<const Stack*> found = findStack(stack);
    const Tuning tuning = trainsAdapters(request) ? Tuning::Lora : Tuning::Full;
    if (const Result<void> config = checkHasConfig(stack, model, tuning); !config) {
        const bool forecast = found && isForecast(**found, model);
        return what + config.error().why +
               (forecast ? " (--stack " + name + " forecasts it)" : std::string());
    }
    return found && !multipliesIn(request, **found, gpu)
               ? what + "it has no fp16, and " + gpu.name + " does not multiply in bf16"
               : "";
}

Result<void> checkAttends(const Scenario& scenario) {
    const GpuSpec& gpu = scenario.cluster.node.gpu;
    const KernelSettings& kernels = scenario.settings.kernels;
    const bool isEngine = isTransformerEngine(kernels);
    // PyTorch's own would run, but does not compute the model's.
    const bool lacksOwn = kernels.code == ModelCode::HuggingFace &&
                          kernels.attention == AttentionKernel::Flash &&
                          lacksNativeAttention(scenario.model);
    if (lacksOwn && scenario.model.attention.sinks && !runsFusedAttention(gpu, scenario.model)) {
        return fail(Error::Code::Unsupported,
                    "settings.kernels.attention",
                    std::string(attentionName(kernels, scenario.model)) +
                        " runs on Hopper alone, and " + gpu.name + " is of " + gpu.family +
                        ": transformers has no other fused attention with sinks",
                    "settings.kernels.attention=unfused");
    }
    if (runsFlashAttention(gpu) || !(isPackage(kernels) || lacksOwn)) {
        return {};
    }
    const std::string what = isEngine   ? "Transformer Engine's fused attention"
                             : lacksOwn ? std::string(attentionName(kernels, scenario.model))
                                        : "this FlashAttention";
    const bool isWhole = isEngine || lacksOwn;
    return fail(
        Error::Code::Unsupported,
        isWhole ? "settings.kernels.attention" : "settings.kernels.attention_code",
        what + " requires compute capability 8.0; " + capabilityText(gpu),
        isWhole ? "settings.kernels.attention=unfused" : "settings.kernels.attention_code=native");
}

}  // namespace fabricast
