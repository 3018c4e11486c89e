#include "planner/launch/hugging_face_arguments.h"
#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_trainers.h"
#include "planner/launch/unfrozen_weights.h"

#include <optional>
#include <string>

namespace fabricast {
namespace {

/// Weights that are trained while the rest is frozen, where they are a part that can be said.
Result<void> importUnfrozen(ScenarioDraft& draft, const ImportContext& context) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const patterns = keys.use("unfrozen_parameters");
    if (patterns == nullptr || patterns->values.empty()) {
        return {};
    }
    const std::optional<std::int64_t> layers = context.layers(keys.text("base_model").value_or(""));
    if (!layers) {
        return keys.refuse(*patterns,
                           "cannot be read without the number of layers of base_model, which is "
                           "no built-in model",
                           "leave it out, and type --train last:4, norms or no_embedding");
    }
    const std::optional<TrainedPart> part = unfrozenPart(patterns->values, *layers);
    if (!part) {
        return keys.refuse(*patterns,
                           "is not modelled for these weights: only for the last layers with "
                           "model.norm and lm_head, for all norms, or for all but the embedding",
                           "leave it out, and type --train last:4, norms or no_embedding");
    }
    draft.set("settings.train", trainedText(*part), "unfrozen_parameters");
    return {};
}

/// The type that a base is loaded in (normalize_config); that of the GPU's own choice follows it.
Result<void> importBaseType(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto half, keys.flag("fp16"));
    const std::string bf16 = keys.text("bf16").value_or("auto");
    if (half.value_or(false)) {
        draft.set("settings.lora.base", "fp16", "fp16");
    } else if (bf16 != "auto") {
        draft.set("settings.lora.base", bf16 == "false" ? "fp32" : "bf16", "bf16");
    }
    return {};
}

/// check_auto_enable_lora_kernels of schemas/config.py: they are on where a file names none.
Result<void> noteLoraKernels(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    bool isNamed = false;
    bool isOn = false;
    for (const char* const kernel : kLoraKernels) {
        FABRICAST_ASSIGN(const auto says, keys.flag(kernel));
        isNamed = isNamed || says.has_value();
        isOn = isOn || says.value_or(false);
    }
    FABRICAST_ASSIGN(const auto remote, keys.flag("trust_remote_code"));
    FABRICAST_ASSIGN(const auto eight, keys.flag("load_in_8bit"));
    const bool isLeftOff = keys.has("rl") || remote.value_or(false) ||
                           (keys.text("adapter") == "lora" && eight.value_or(false));
    if (isOn || (!isNamed && !isLeftOff)) {
        draft.note(
            "Axolotl's own kernels for adapters are not modelled: less time and memory than "
            "forecast (lora_mlp_kernel, lora_qkv_kernel, lora_o_kernel" +
            std::string(isOn ? ")" : ": on where none is named)"));
    }
    return {};
}

/// Which layers have adapters. lora_target_linear adds all linear layers to what is named, of which
/// stacks of experts and routers are none.
Result<void> importAxolotlTargets(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto everything, keys.flag("lora_target_linear"));
    FABRICAST_ASSIGN(const std::string stacks, stackTargets(keys, "lora_target_parameters"));
    const LaunchKey* const targets = keys.use("lora_target_modules");
    std::string names;
    if (everything.value_or(false)) {
        names = stacks.empty() ? "" : "q+k+v+o";  // the usual ones of a model with experts
    } else if (targets != nullptr && !targets->values.empty()) {
        FABRICAST_ASSIGN(names, adapterTargets(keys, *targets));
    }
    if (!names.empty() || !stacks.empty()) {
        draft.set("settings.lora.targets",
                  names + (names.empty() || stacks.empty() ? "" : "+") + stacks,
                  stacks.empty() ? "lora_target_modules" : "lora_target_parameters");
    }
    return {};
}

/// Stacks of experts in 4 or 8 bits, each of which is dequantised whole where a layer runs
/// (axolotl/monkeypatch/moe_quant.py of 0.19.0).
Result<void> checkQuantizedExperts(LaunchKeys& keys) {
    FABRICAST_ASSIGN(const auto asked, keys.flag("quantize_moe_experts"));
    if (!asked.value_or(false)) {
        return {};
    }
    const LaunchKey& key = *keys.use("quantize_moe_experts");
    FABRICAST_ASSIGN(const auto everything, keys.flag("lora_target_linear"));
    if (everything.value_or(false)) {
        return keys.refuse(key,
                           "is not compatible with lora_target_linear: Axolotl ends at the start",
                           "lora_target_modules: [q_proj, k_proj, v_proj, o_proj]");
    }
    return keys.refuse(key,
                       "is not modelled: memory of experts in 4 or 8 bits is not forecast",
                       "quantize_moe_experts: false for the forecast with experts in 16 bits, "
                       "which take more");
}

Result<void> importAdapter(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const auto adapter = keys.text("adapter");
    if (!adapter) {
        return {};
    }
    if (*adapter != "lora" && *adapter != "qlora") {
        return keys.refuse(
            *keys.use("adapter"), "\"" + *adapter + "\" is not modelled", "lora or qlora");
    }
    FABRICAST_ASSIGN(const auto four, keys.flag("load_in_4bit"));
    FABRICAST_ASSIGN(const auto eight, keys.flag("load_in_8bit"));
    if (*adapter == "qlora" && !four.value_or(false)) {
        return keys.refuse(*keys.use("adapter"),
                           "Require cfg.load_in_4bit to be True for qlora",
                           "load_in_4bit: true");
    }
    FABRICAST_TRY(checkQuantizedExperts(keys));
    draft.set("settings.tuning", "lora", "adapter");
    FABRICAST_TRY(noteLoraKernels(draft));
    if (four.value_or(false) || eight.value_or(false)) {
        draft.set("settings.lora.base",
                  four.value_or(false) ? "nf4" : "int8",
                  four.value_or(false) ? "load_in_4bit" : "load_in_8bit");
    } else {
        FABRICAST_TRY(importBaseType(draft));
    }
    FABRICAST_TRY(draft.copyWhole("settings.lora.rank", "lora_r"));
    FABRICAST_ASSIGN(const auto dropout, keys.number("lora_dropout"));
    if (dropout && *dropout > 0.0) {
        draft.set("settings.lora.dropout", *dropout, "lora_dropout");
    }
    FABRICAST_TRY(importSavedModules(draft, "lora_modules_to_save"));
    FABRICAST_TRY(draft.copyFlag("settings.lora.dora", "peft_use_dora"));
    FABRICAST_TRY(draft.copyFlag("settings.lora.double_quantization",
                                 "bnb_config_kwargs.bnb_4bit_use_double_quant"));
    return importAxolotlTargets(draft);
}

}  // namespace

Result<void> importAxolotlTuning(ScenarioDraft& draft, const ImportContext& context) {
    FABRICAST_TRY(importAdapter(draft));
    return importUnfrozen(draft, context);
}

}  // namespace fabricast
