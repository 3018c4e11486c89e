#include "planner/spec/peft_targets.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 4> kAttention = {"q", "k", "v", "o"};
constexpr std::array<std::string_view, 3> kOfMlp = {"gate", "up", "down"};
/// Families whose experts have always been stacks in transformers: PEFT has no names to convert.
constexpr std::array<std::string_view, 1> kAlwaysStacked = {"gpt_oss"};
/// The names of one expert's layers, in the order of kOfMlp, where they are not gate_proj, …
constexpr std::array<std::string_view, 3> kOfMixtral = {"w1", "w3", "w2"};

bool alwaysStacked(const ModelSpec& model) {
    return std::ranges::find(kAlwaysStacked, model.family) != kAlwaysStacked.end();
}

bool isOfMlp(std::string_view target) {
    return std::ranges::find(kOfMlp, target) != kOfMlp.end();
}

/// `all-linear` as the names that it stands for.
NameSet spelledOut(const ModelSpec& model, const NameSet& targets) {
    NameSet out;
    for (const std::string& target : targets) {
        if (target != "all-linear") {
            out.insert(target);
            continue;
        }
        for (const std::string& linear : everyLinear()) {
            out.insert(linear);
        }
        if (model.moe && !alwaysStacked(model)) {
            out.insert("router");
        }
    }
    return out;
}

Result<void> checkFused(const NameSet& targets) {
    const bool gate = targets.contains("gate");
    if (gate == targets.contains("up")) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "settings.lora.targets",
                std::string("Cannot convert PEFT target(s) ") + (gate ? "gate" : "up") +
                    "_proj without also targeting " + (gate ? "up" : "gate") +
                    "_proj because they are fused into gate_up_proj.",
                "settings.lora.targets=q+k+v+o+experts");
}

}  // namespace

NameSet usualTargets(const ModelSpec& model) {
    return model.moe ? NameSet{"q", "k", "v", "o"} : everyLinear();
}

Result<NameSet> targetsInPeft(const ModelSpec& model, const NameSet& targets) {
    const NameSet named = spelledOut(model, targets);
    if (!model.moe) {
        return named;
    }
    NameSet found;
    bool experts = false;
    for (const std::string& target : named) {
        if (!isOfMlp(target)) {
            found.insert(target);
        }
        experts = experts || isOfMlp(target);
    }
    if (experts && !alwaysStacked(model)) {
        FABRICAST_TRY(checkFused(named));
        found.insert("experts");
    }
    return found;
}

PeftNames peftNamesOfEach(const ModelSpec& model, const NameSet& targets) {
    PeftNames names;
    const bool stacked = model.moe && alwaysStacked(model);
    const bool experts = model.moe && targets.contains("experts");
    const bool router = model.moe && targets.contains("router");
    for (const std::string& target : targets) {
        const bool ofExperts = target == "experts" || target == "router" || isOfMlp(target);
        if (!(model.moe && ofExperts)) {
            names.modules.push_back(target + "_proj");
        }
    }
    if (experts && stacked) {
        names.parameters = {"mlp.experts.gate_up_proj", "mlp.experts.down_proj"};
    } else if (experts) {
        for (std::size_t i = 0; i < kOfMlp.size(); ++i) {
            const bool mixtral = model.family == "mixtral";
            names.modules.push_back(mixtral ? std::string(kOfMixtral[i])
                                            : std::string(kOfMlp[i]) + "_proj");
        }
    }
    if (router && stacked) {
        names.parameters.emplace_back("mlp.router.weight");
    } else if (router) {
        names.modules.emplace_back("gate");
    }
    return names;
}

PeftNames peftNames(const ModelSpec& model, const NameSet& targets) {
    PeftNames names = peftNamesOfEach(model, targets);
    const bool stacked = model.moe && alwaysStacked(model);
    const bool attention = std::ranges::all_of(
        kAttention, [&](std::string_view name) { return targets.contains(name); });
    const bool all = !model.moe ? targets == everyLinear()
                     : stacked
                         ? attention
                         : attention && targets.contains("experts") && targets.contains("router");
    if (all) {
        names.modules = {"all-linear"};
    }
    return names;
}

std::string aboutTargets(const ModelSpec& model) {
    if (!model.moe) {
        return "LoRA on every linear layer of the blocks";
    }
    const std::string frozen =
        "LoRA on q, k, v and o; experts and router, which are no linear layers, are frozen (";
    return frozen + (alwaysStacked(model) ? "+experts+router adapts them)"
                                          : "PEFT's all-linear adapts them: +experts+router)");
}

}  // namespace fabricast
