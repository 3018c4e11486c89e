#include "planner/launch/import_hugging_face.h"

#include "planner/base/slipped_name.h"
#include "planner/launch/trl.h"
#include "planner/spec/peft_targets.h"
#include "planner/spec/trainer_optimizers.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

namespace fabricast {
namespace {

/// Modules that are called otherwise than their targets are: Mixtral's experts, and routers.
struct NamedModule {
    std::string_view module;
    std::string_view target;
};
constexpr std::array kNamedModules = {NamedModule{"w1", "gate"},
                                      NamedModule{"w3", "up"},
                                      NamedModule{"w2", "down"},
                                      NamedModule{"gate", "router"}};

/// Names of the linear layers of most models.
constexpr std::array<std::string_view, 7> kUsualModules = {
    "q_proj", "k_proj", "v_proj", "o_proj", "gate_proj", "up_proj", "down_proj"};

/// Which layers have adapters; peft chooses where nobody says.
Result<void> importTargets(ScenarioDraft& draft) {
    FABRICAST_ASSIGN(const std::string stacks,
                     stackTargets(draft.keys(), "--lora_target_parameters"));
    const LaunchKey* const targets = draft.keys().use("--lora_target_modules");
    const bool says = targets != nullptr && !targets->values.empty();
    if (!says && !stacks.empty()) {
        draft.set("settings.lora.targets", stacks, "--lora_target_parameters");
    } else if (!says) {
        draft.set("settings.lora.targets", "q+v", "--use_peft");
        draft.assume("settings.lora.targets",
                     "no target modules are named: peft takes q and v of most models");
    } else if (targets->values.front().starts_with("$")) {
        draft.leaveOpen("settings.lora.targets",
                        *targets,
                        "target_modules: which layers have adapters is worked out when the program "
                        "runs",
                        "--set settings.lora.targets=all-linear, or q+v and their like");
    } else {
        FABRICAST_ASSIGN(const std::string names, adapterTargets(draft.keys(), *targets));
        draft.set("settings.lora.targets",
                  names + (stacks.empty() ? "" : "+") + stacks,
                  "--lora_target_modules");
    }
    return {};
}

/// As stacks compute where nothing is said; "auto" is the choice of a GPU, which may have no bf16.
bool computesBf16(const JsonValue& scenario) {
    const JsonValue* const workload = scenario.find("workload");
    const JsonValue* const said = workload == nullptr ? nullptr : workload->find("precision");
    return said == nullptr || said->text() == "bf16";
}

}  // namespace

Result<std::string> adapterTargets(const LaunchKeys& keys, const LaunchKey& key) {
    std::string names;
    for (const std::string& one : key.values) {
        const auto* const known = std::ranges::find(kNamedModules, one, &NamedModule::module);
        const std::string target = known != kNamedModules.end() ? std::string(known->target)
                                                                : one.substr(0, one.find("_proj"));
        if (std::ranges::find(kLoraTargets, target) == kLoraTargets.end()) {
            const std::string near = slippedName(one, kUsualModules);
            return keys.refuse(
                key,
                "\"" + one +
                    "\" is no linear layer that is known: peft leaves out without a word "
                    "what it does not find",
                near.empty() ? "q_proj k_proj v_proj o_proj gate_proj up_proj down_proj" : near);
        }
        names += (names.empty() ? "" : "+") + target;
    }
    return names;
}

Result<std::string> stackTargets(LaunchKeys& keys, std::string_view from) {
    const LaunchKey* const key = keys.use(from);
    if (key == nullptr || key->values.empty()) {
        return std::string();
    }
    std::size_t stacks = 0;
    bool router = false;
    for (const std::string& one : key->values) {
        const bool ofRouter = one == "mlp.router.weight" || one == "router.weight";
        const bool ofExperts = one.starts_with("mlp.experts.") || one.starts_with("experts.");
        if (!ofRouter && !ofExperts) {
            return keys.refuse(
                *key,
                "\"" + one + "\": adapters of experts of some layers are not modelled",
                "mlp.experts.gate_up_proj mlp.experts.down_proj, of all layers");
        }
        stacks += ofExperts ? 1 : 0;
        router = router || ofRouter;
    }
    if (stacks == 1) {
        return keys.refuse(*key,
                           "adapters of one of the experts' two stacks are not modelled",
                           "mlp.experts.gate_up_proj mlp.experts.down_proj");
    }
    return std::string(stacks > 0 ? "experts" : "") + (stacks > 0 && router ? "+" : "") +
           (router ? "router" : "");
}

Result<void> importSavedModules(ScenarioDraft& draft, std::string_view from) {
    LaunchKeys& keys = draft.keys();
    const LaunchKey* const key = keys.use(from);
    if (key == nullptr || key->values.empty() || key->values.front() == "null") {
        return {};
    }
    std::string names;
    for (const std::string& one : key->values) {
        const std::string_view module = savedModule(one);
        if (module.empty()) {
            return keys.refuse(*key,
                               "\"" + one + "\" trained whole beside adapters is not modelled",
                               "embed_tokens lm_head");
        }
        names += (names.empty() ? "" : "+") + std::string(module);
    }
    draft.set("settings.lora.modules_to_save", names, from);
    return {};
}

Result<void> importPeft(ScenarioDraft& draft) {
    constexpr double kDropoutOfTrl = 0.05;
    LaunchKeys& keys = draft.keys();
    FABRICAST_ASSIGN(const auto peft, keys.flag("--use_peft"));
    FABRICAST_ASSIGN(const auto four, keys.flag("--load_in_4bit"));
    FABRICAST_ASSIGN(const auto eight, keys.flag("--load_in_8bit"));
    FABRICAST_ASSIGN(const auto nested, keys.flag("--use_bnb_nested_quant"));
    FABRICAST_ASSIGN(const auto dropout, keys.number("--lora_dropout"));
    (void)keys.use("--bnb_4bit_quant_type");
    (void)keys.use("--lora_alpha");
    if (!peft.value_or(false)) {
        return {};
    }
    draft.set("settings.tuning", "lora", "--use_peft");
    const char* const typed = keys.has("--dtype") ? "--dtype" : "--torch_dtype";
    const std::string dtype = keys.text(typed).value_or("");
    if (four.value_or(false)) {
        draft.set("settings.lora.base", "nf4", "--load_in_4bit");
        draft.set("settings.lora.double_quantization", nested.value_or(false), "--load_in_4bit");
    } else if (eight.value_or(false)) {
        draft.set("settings.lora.base", "int8", "--load_in_8bit");
    } else if (dtype == "bfloat16" || dtype == "float32") {
        draft.set("settings.lora.base", dtype == "bfloat16" ? "bf16" : "fp32", typed);
    }
    if (const double kept = dropout.value_or(kDropoutOfTrl); kept > 0.0) {
        draft.set("settings.lora.dropout", kept, dropout ? "--lora_dropout" : "--use_peft");
    }
    FABRICAST_ASSIGN(const auto dora, keys.flag("--use_dora"));
    const bool isQuantised = four.value_or(false) || eight.value_or(false);
    if (isQuantised && isTrl(keys) && !dora.value_or(false) && computesBf16(draft.scenario())) {
        // What trains over a quantised base is cast by SFTTrainer, but for DoRA's magnitudes.
        draft.set("settings.lora.dtype",
                  "bf16",
                  four.value_or(false) ? "--load_in_4bit" : "--load_in_8bit");
    }
    FABRICAST_TRY(importTargets(draft));
    FABRICAST_TRY(importSavedModules(draft, "--lora_modules_to_save"));
    FABRICAST_TRY(draft.copyFlag("settings.lora.dora", "--use_dora"));
    return draft.copyWhole("settings.lora.rank", "--lora_r");
}

Result<void> importTrainerOptimizer(ScenarioDraft& draft, std::string_view from) {
    LaunchKeys& keys = draft.keys();
    const auto typed = keys.text(from);
    if (!typed) {
        return {};
    }
    for (const TrainerName& one : kTrainerNames) {
        if (one.typed == *typed) {
            draft.set("workload.optimizer", one.kind, from);
            if (one.typed.starts_with("paged_adamw_32")) {
                draft.note("paged_adamw_32bit is forecast as adamw, whose states stay on the GPU");
            }
            if (!one.detail.empty()) {
                const std::size_t equals = one.detail.find('=');
                draft.set("settings.optimizer." + std::string(one.detail.substr(0, equals)),
                          one.detail.substr(equals + 1),
                          from);
            }
            return {};
        }
    }
    std::vector<std::string_view> known;
    std::ranges::transform(kTrainerNames, std::back_inserter(known), &TrainerName::typed);
    const std::string near = slippedName(*typed, known);
    return keys.refuse(*keys.use(from),
                       "\"" + *typed + "\" is not modelled",
                       near.empty() ? "adamw_torch_fused, adamw_torch_8bit, paged_adamw_8bit, …"
                                    : "did you mean " + near + "?");
}

namespace {

/// Attention by a name that transformers or Axolotl has; its forecast is FlashAttention 2's where
/// it is fused and has no kernel times of its own. A kernel of the Hub is "owner/name".
constexpr std::array<std::string_view, 10> kFusedAttention = {"flash_attention_2",
                                                              "flash_attention_4",
                                                              "flash_attention_torch",
                                                              "flex_attention",
                                                              "xformers",
                                                              "sage",
                                                              "flash",
                                                              "flex",
                                                              "sdp",
                                                              "auto"};

}  // namespace

Result<void> importAttention(ScenarioDraft& draft, std::string_view from, std::string_view usual) {
    const std::string attention = draft.keys().text(from).value_or(std::string(usual));
    if (attention == "eager") {
        draft.set("settings.kernels.attention", "unfused", from);
    } else if (attention == "sdpa" || attention == "flash_attention_3") {
        draft.set(
            "settings.kernels.attention_code", attention == "sdpa" ? "native" : "flash3", from);
    } else if (const LaunchKey* const key = draft.keys().use(from);
               key != nullptr && attention.find('/') == std::string::npos &&
               attention.find('$') == std::string::npos &&
               std::ranges::find(kFusedAttention, attention) == kFusedAttention.end()) {
        return draft.keys().refuse(*key,
                                   "\"" + attention + "\" is not an attention of transformers",
                                   "flash_attention_2, flash_attention_3, sdpa, eager, "
                                   "flex_attention, or a kernel of the Hub");
    }
    return {};
}

}  // namespace fabricast
