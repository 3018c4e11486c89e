#include "planner/launch/bridge_keys.h"
#include "planner/launch/launch_file_writers.h"
#include "planner/launch/launch_files.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

std::string_view torchType(Dtype dtype) {
    return dtype == Dtype::Bf16   ? "torch.bfloat16"
           : dtype == Dtype::Fp16 ? "torch.float16"
                                  : "torch.float32";
}

/// Bridge pads no vocabulary that the model names itself.
std::int64_t paddedVocabulary(const Scenario& scenario) {
    const std::int64_t multiple = scenario.settings.megatron.vocabPadding * scenario.layout.tp;
    return (scenario.model.vocab + multiple - 1) / multiple * multiple;
}

/// What Megatron-LM works out from several arguments, and Bridge takes as keys.
void addDerived(const Scenario& scenario, std::vector<BridgeKey>& keys) {
    const PrecisionSettings& precision = scenario.settings.precision;
    const std::string compute(torchType(precision.compute));
    keys.push_back({"model", "vocab_size", std::to_string(paddedVocabulary(scenario))});
    if (scenario.layout.vpp > 1) {
        keys.push_back(
            {"model", "virtual_pipeline_model_parallel_size", std::to_string(scenario.layout.vpp)});
    }
    if (precision.compute == Dtype::Fp32) {
        keys.push_back({"mixed_precision", "fp32", "True"});
    }
    keys.push_back({"mixed_precision", "params_dtype", compute});
    keys.push_back({"mixed_precision", "pipeline_dtype", compute});
    const bool wide = precision.gradients == Dtype::Fp32;
    keys.push_back({"mixed_precision", "grad_reduce_in_fp32", wide ? "True" : "False"});
}

Result<MegatronArguments> coreArguments(const LaunchFacts& facts, std::string_view target) {
    LaunchFacts core = facts;
    core.version = kCoreOfBridge;
    Result<MegatronArguments> arguments = megatronArguments(core, ToldAs::Fields);
    if (!arguments && arguments.error().where == "--framework-version") {
        return fail(Error::Code::Unsupported,
                    "--target",
                    std::string(target) + " " + facts.version + " stands on Megatron-Core " +
                        std::string(kCoreOfBridge) + ": " + arguments.error().why,
                    facts.scenario.stack == "megatron" ? "--target megatron" : "--stack megatron");
    }
    return arguments;
}

/// Weights that Megatron-Core keeps as one, and adapts as one.
struct AdaptedGroup {
    std::string_view name;
    std::string_view first;
    std::string_view weights;  ///< all of them
};
constexpr std::array kAdaptedGroups = {AdaptedGroup{"linear_qkv", "q", "q k v"},
                                       AdaptedGroup{"linear_proj", "o", "o"},
                                       AdaptedGroup{"linear_fc1", "gate", "gate up"},
                                       AdaptedGroup{"linear_fc2", "down", "down"}};

/// Those of a group that are targets, as the group lists them.
std::string targetsIn(const NameSet& targets, const AdaptedGroup& group) {
    std::string found;
    std::string_view rest = group.weights;
    while (!rest.empty()) {
        const std::string_view one = rest.substr(0, rest.find(' '));
        rest.remove_prefix(std::min(rest.size(), one.size() + 1));
        const bool isTarget = std::ranges::any_of(
            targets, [one](const std::string& target) { return target == one; });
        found += isTarget ? (found.empty() ? "" : " ") + std::string(one) : "";
    }
    return found;
}

}  // namespace

Result<std::vector<BridgeKey>> keysOfPlan(const LaunchFacts& facts, std::string_view target) {
    FABRICAST_ASSIGN(const MegatronArguments arguments, coreArguments(facts, target));
    FABRICAST_ASSIGN(std::vector<BridgeKey> keys, bridgeKeys(arguments));
    for (BridgeKey& one : megatronDefaults(arguments)) {
        keys.push_back(std::move(one));
    }
    addDerived(facts.scenario, keys);
    return keys;
}

Result<std::vector<BridgeKey>> adapterKeys(const Settings& settings) {
    const LoraSettings& lora = settings.lora;
    if (settings.tuning != Tuning::Lora) {
        return std::vector<BridgeKey>();
    }
    std::string modules;
    for (const AdaptedGroup& group : kAdaptedGroups) {
        const std::string targets = targetsIn(lora.targets, group);
        if (!targets.empty() && targets != group.weights) {
            return fail(Error::Code::Unsupported,
                        "settings.lora.targets",
                        std::string(group.name) + " adapts " + std::string(group.weights) +
                            " together, not " + targets + " alone",
                        "--set settings.lora.targets=q+k+v+o+gate+up+down");
        }
        modules += targets.empty() ? "" : (modules.empty() ? "" : ", ") + quotedText(group.name);
    }
    if (lora.dora) {
        return fail(Error::Code::Unsupported,
                    "settings.lora.dora",
                    "LoRA of Megatron has no magnitudes",
                    "--set settings.lora.dora=false");
    }
    return std::vector<BridgeKey>{{"peft", "target_modules", "[" + modules + "]"},
                                  {"peft", "dim", std::to_string(lora.rank)},
                                  {"peft", "alpha", std::to_string(2 * lora.rank)},
                                  {"peft", "dropout", decimalText(lora.dropout)}};
}

}  // namespace fabricast
