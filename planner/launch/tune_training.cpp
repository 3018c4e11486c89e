#include "planner/launch/import_hugging_face.h"
#include "planner/launch/import_trainers.h"

#include <algorithm>
#include <array>
#include <string>

namespace fabricast {
namespace {

/// Optimizers by their classes, and ours with the library that runs them.
struct TuneOptimizer {
    std::string_view component;
    std::string_view kind;
    std::string_view library{};
};
constexpr std::array kTuneOptimizers = {
    TuneOptimizer{"torch.optim.AdamW", "adamw"},
    TuneOptimizer{"torch.optim.Adam", "adamw"},
    TuneOptimizer{"torch.optim.SGD", "sgd"},
    TuneOptimizer{"bitsandbytes.optim.AdamW", "adamw"},
    TuneOptimizer{"bitsandbytes.optim.PagedAdamW", "adamw"},
    TuneOptimizer{"bitsandbytes.optim.AdamW8bit", "adamw_8bit", "bitsandbytes"},
    TuneOptimizer{"bitsandbytes.optim.PagedAdamW8bit", "paged_adamw_8bit"},
    TuneOptimizer{"torchao.optim.AdamW8bit", "adamw_8bit", "torchao"},
    TuneOptimizer{"torchao.prototype.low_bit_optim.AdamW8bit", "adamw_8bit", "torchao"},
    TuneOptimizer{"torchao.optim.AdamW4bit", "adamw_4bit"},
    TuneOptimizer{"torchao.prototype.low_bit_optim.AdamW4bit", "adamw_4bit"}};

/// torchtune's names of the layers of attention, and what they are targets as.
Result<std::string> attentionTargets(const LaunchKeys& keys, LaunchKey modules) {
    std::ranges::replace(modules.values, std::string("output_proj"), std::string("o_proj"));
    return adapterTargets(keys, modules);
}

}  // namespace

Result<void> importTuneAdapters(ScenarioDraft& draft, bool quantizes) {
    LaunchKeys& keys = draft.keys();
    const std::string component = "model._component_";
    draft.set("settings.tuning", "lora", component);
    FABRICAST_ASSIGN(const auto base, keys.flag("model.quantize_base"));
    const bool isQuantized = base.value_or(quantizes);
    const bool isWide = keys.text("dtype").value_or("fp32") == "fp32";
    draft.set("settings.lora.base",
              isQuantized ? "nf4"
              : isWide    ? "fp32"
                          : "bf16",
              base ? "model.quantize_base" : component);
    if (isQuantized) {  // torchao's to_nf4 quantises the scales of its blocks, too
        draft.set("settings.lora.double_quantization", true, component);
    }
    if (!isWide) {
        draft.set("settings.lora.dtype", "bf16", "dtype");
    }
    FABRICAST_TRY(draft.copyWhole("settings.lora.rank", "model.lora_rank"));
    if (!keys.has("model.lora_rank")) {
        constexpr std::int64_t kRankOfTune = 8;  // of its builders
        draft.set("settings.lora.rank", kRankOfTune, component);
    }
    FABRICAST_ASSIGN(const auto dropout, keys.number("model.lora_dropout"));
    if (dropout && *dropout > 0.0) {
        draft.set("settings.lora.dropout", *dropout, "model.lora_dropout");
    }
    FABRICAST_TRY(draft.copyFlag("settings.lora.dora", "model.use_dora"));
    FABRICAST_ASSIGN(const auto head, keys.flag("model.apply_lora_to_output"));
    if (head.value_or(false)) {
        return keys.refuse(*keys.use("model.apply_lora_to_output"),
                           "is not modelled",
                           "apply_lora_to_output: False");
    }
    FABRICAST_ASSIGN(const auto mlp, keys.flag("model.apply_lora_to_mlp"));
    const LaunchKey* const modules = keys.use("model.lora_attn_modules");
    std::string targets;
    if (modules != nullptr) {
        FABRICAST_ASSIGN(targets, attentionTargets(keys, *modules));
    }
    if (mlp.value_or(false)) {
        targets += targets.empty() ? "gate+up+down" : "+gate+up+down";
    }
    if (!targets.empty()) {
        draft.set("settings.lora.targets",
                  targets,
                  modules == nullptr ? "model.apply_lora_to_mlp" : "model.lora_attn_modules");
    }
    return {};
}

Result<void> importTuneOptimizer(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const char* const path = "optimizer._component_";
    const std::string component = keys.text(path).value_or("torch.optim.AdamW");
    const auto* const known =
        std::ranges::find(kTuneOptimizers, component, &TuneOptimizer::component);
    if (known == kTuneOptimizers.end()) {
        return keys.refuse(*keys.use(path),
                           "\"" + component + "\" is not modelled",
                           "torch.optim.AdamW, bitsandbytes.optim.PagedAdamW8bit, "
                           "torchao.optim.AdamW8bit, …");
    }
    FABRICAST_ASSIGN(const auto momentum, keys.number("optimizer.momentum"));
    const bool hasMomentum = known->kind == "sgd" && momentum.value_or(0.0) > 0.0;
    draft.set("workload.optimizer", hasMomentum ? "sgd_momentum" : known->kind, path);
    if (!known->library.empty()) {
        draft.set("settings.optimizer.library", known->library, path);
    }
    if (component.starts_with("torch.optim.Adam")) {
        FABRICAST_ASSIGN(const auto fused, keys.flag("optimizer.fused"));
        draft.set("settings.optimizer.kernel",
                  fused.value_or(false) ? "fused" : "foreach",
                  keys.has("optimizer.fused") ? "optimizer.fused" : path);
    }
    if (component == "bitsandbytes.optim.AdamW" || component == "bitsandbytes.optim.PagedAdamW") {
        draft.set("settings.precision.moments", "fp32", path);
        if (component.ends_with("PagedAdamW")) {
            draft.note("PagedAdamW is forecast with states that stay on the GPU");
        }
    }
    return {};
}

}  // namespace fabricast
