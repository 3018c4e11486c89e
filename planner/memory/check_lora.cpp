#include "planner/memory/check_lora.h"

#include "planner/base/nearest_name.h"
#include "planner/spec/names.h"
#include "planner/spec/setting_names.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 7> kTargets = {"q", "k", "v", "o", "gate", "up", "down"};

Result<void> checkTargets(const LoraSettings& lora) {
    if (lora.rank < 1) {
        return fail(Error::Code::BadInput,
                    "settings.lora.rank",
                    "LoRA needs a rank of at least 1",
                    "settings.lora.rank=16");
    }
    for (const std::string& target : lora.targets) {
        if (std::find(kTargets.begin(), kTargets.end(), target) == kTargets.end()) {
            return fail(Error::Code::BadInput,
                        "settings.lora.targets",
                        "no linear layer is called '" + target + "'",
                        suggestName(target, kTargets));
        }
    }
    if (lora.targets.empty()) {
        return fail(Error::Code::BadInput,
                    "settings.lora.targets",
                    "LoRA needs at least one linear layer to adapt",
                    "settings.lora.targets=q,v");
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
    return {};
}

Result<void> unsupported(std::string where, std::string why, std::string hint) {
    return fail(Error::Code::Unsupported, std::move(where), std::move(why), std::move(hint));
}

}  // namespace

Result<void> checkLora(const Scenario& scenario) {
    const Settings& settings = scenario.settings;
    if (settings.tuning != Tuning::Lora) {
        return {};
    }
    FABRICAST_TRY(checkTargets(settings.lora));
    FABRICAST_TRY(checkTypes(settings.lora));
    const ModelCode code = settings.kernels.code;
    if (code == ModelCode::Megatron || code == ModelCode::TransformerEngine) {
        return unsupported("settings.tuning",
                           "LoRA is not modelled for Megatron's layers",
                           "stack=axolotl or accelerate");
    }
    if (scenario.model.moe) {
        return unsupported(
            "settings.tuning", "LoRA is not modelled for models with experts", "a dense model");
    }
    if (scenario.layout.tp > 1) {
        return unsupported("layout.tp", "LoRA is not modelled with tensor parallelism", "tp=1");
    }
    if (settings.engine != Engine::Local && settings.engine != Engine::Ddp) {
        return unsupported("settings.tuning",
                           "LoRA is not modelled under " + std::string(nameOf(settings.engine)),
                           "shard=none");
    }
    return {};
}

}  // namespace fabricast
