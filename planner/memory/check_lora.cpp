#include "planner/base/nearest_name.h"
#include "planner/memory/check_memory.h"
#include "planner/spec/names.h"
#include "planner/spec/peft_targets.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace fabricast {

namespace {

constexpr std::int64_t kUsualRank = 16;  // of the examples of PEFT

Result<void> checkRank(const LoraSettings& lora, const ModelSpec& model) {
    if (lora.rank < 1) {
        return fail(Error::Code::BadInput,
                    "settings.lora.rank",
                    "LoRA needs a rank of at least 1",
                    "settings.lora.rank=" + std::to_string(std::min(kUsualRank, model.hidden)));
    }
    if (lora.rank > model.hidden) {
        return fail(Error::Code::BadInput,
                    "settings.lora.rank",
                    "a rank of " + std::to_string(lora.rank) + " is above the hidden size (" +
                        std::to_string(model.hidden) +
                        "): adapters larger than the layers they adapt",
                    "settings.lora.rank=" + std::to_string(std::min(kUsualRank, model.hidden)));
    }
    return {};
}

/// PEFT passes over a name that no layer has, unless it finds none at all.
bool namesAny(const NameSet& targets, const ModelSpec& model) {
    const NameSet attention = attentionTargets(model);
    const auto isAttention = [](const std::string& name) {
        return name.starts_with("q") || name.starts_with("k") || name == "v" || name == "o";
    };
    return std::ranges::any_of(targets, [&](const std::string& name) {
        return !isAttention(name) || attention.contains(name);
    });
}

std::string plusList(const NameSet& names) {
    std::string text;
    for (const std::string& name : names) {
        text += (text.empty() ? "" : "+") + name;
    }
    return text;
}

Result<void> checkTargets(const LoraSettings& lora, const ModelSpec& model) {
    for (const std::string& target : lora.targets) {
        if (std::find(kLoraTargets.begin(), kLoraTargets.end(), target) == kLoraTargets.end()) {
            return fail(Error::Code::BadInput,
                        "settings.lora.targets",
                        "unknown linear layer '" + target + "'",
                        suggestName(target, kLoraTargets));
        }
    }
    if (lora.targets.empty()) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    "LoRA needs at least one linear layer to adapt",
                    "settings.lora.targets=q+v");
    }
    if (!namesAny(lora.targets, model)) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    "Target modules not found in the base model: " + model.name +
                        " has none of these layers",
                    "settings.lora.targets=" + plusList(attentionTargets(model)));
    }
    if (lora.targets.size() == 1 && lora.targets.contains("gate") &&
        model.mlp.kind != MlpKind::Gated) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    "the MLP of " + model.name + " has no gate",
                    "settings.lora.targets=q+v");
    }
    return {};
}

Result<void> checkTypes(const LoraSettings& lora) {
    constexpr std::array kBases = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16, Dtype::Nf4, Dtype::Int8};
    constexpr std::array kAdapters = {Dtype::Fp32, Dtype::Bf16, Dtype::Fp16};
    if (std::find(kBases.begin(), kBases.end(), lora.base) == kBases.end()) {
        return fail(Error::Code::BadInput,
                    "settings.lora.base",
                    std::string(nameOf(lora.base)) + " weights cannot be adapted",
                    "use fp32, bf16, fp16, nf4 or int8");
    }
    if (std::find(kAdapters.begin(), kAdapters.end(), lora.dtype) == kAdapters.end()) {
        return fail(Error::Code::BadInput,
                    "settings.lora.dtype",
                    "adapters are not kept in " + std::string(nameOf(lora.dtype)),
                    "use fp32, bf16 or fp16");
    }
    if (lora.doubleQuantization && lora.base != Dtype::Nf4) {
        return fail(Error::Code::BadInput,
                    "settings.lora.double_quantization",
                    "only the scales of an nf4 base are quantised again, not of " +
                        std::string(nameOf(lora.base)),
                    "settings.lora.base=nf4");
    }
    return {};
}

/// PEFT's adapters of parameters that are no linear layers.
Result<void> checkExpertTargets(const Scenario& scenario) {
    const LoraSettings& lora = scenario.settings.lora;
    const bool experts = lora.targets.contains("experts");
    if (!experts && !lora.targets.contains("router")) {
        return {};
    }
    if (!scenario.model.moe) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    scenario.model.name + " has no experts",
                    "settings.lora.targets=q+v");
    }
    if (lora.dora || lora.dropout > 0) {
        return fail(Error::Code::BadInput,
                    lora.dora ? "settings.lora.dora" : "settings.lora.dropout",
                    std::string("lora.ParamWrapper, which adapts experts and routers, does not "
                                "work with ") +
                        (lora.dora ? "DoRA" : "lora_dropout != 0"),
                    "leave experts and router out of settings.lora.targets");
    }
    if (experts && scenario.model.family == "llama4_text") {
        return fail(Error::Code::Unsupported,
                    "settings.lora.targets",
                    "adapters of the experts of transformers' llama4_text are not modelled",
                    "settings.lora.targets=q+k+v+o+gate+up+down");
    }
    if (experts && scenario.settings.kernels.experts == ExpertKernel::Sequential) {
        return fail(Error::Code::Unsupported,
                    "settings.kernels.experts",
                    "adapters of experts that are computed one by one are not modelled",
                    "settings.kernels.experts=grouped");
    }
    return {};
}

}  // namespace

Result<void> checkLora(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.tuning != Tuning::Lora) {
        return {};
    }
    FABRICAST_TRY(checkRank(settings.lora, scenario.model));
    FABRICAST_TRY(checkTargets(settings.lora, scenario.model));
    FABRICAST_TRY(checkTypes(settings.lora));
    FABRICAST_TRY(checkExpertTargets(scenario));
    return checkLoraBeside(scenario);
}

}  // namespace fabricast
