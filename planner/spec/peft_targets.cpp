#include "planner/spec/peft_targets.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace fabricast {

namespace {

constexpr std::array<std::string_view, 3> kOfMlp = {"gate", "up", "down"};
/// Families whose experts have always been stacks in transformers: PEFT has no names to convert.
constexpr std::array<std::string_view, 3> kAlwaysStacked = {"gpt_oss", "granitemoe", "llama4_text"};
/// The names of one expert's layers, in the order of kOfMlp, where they are not gate_proj, …
constexpr std::array<std::string_view, 3> kOfMixtral = {"w1", "w3", "w2"};

/// Tables that a family's code calls otherwise.
struct TableName {
    std::string_view family;
    std::string_view module;
    std::string_view name;
};
constexpr std::array kTableNames = {TableName{"gpt2", "embed_tokens", "wte"},
                                    TableName{"mpt", "embed_tokens", "wte"},
                                    TableName{"bloom", "embed_tokens", "word_embeddings"},
                                    TableName{"falcon", "embed_tokens", "word_embeddings"},
                                    TableName{"gpt_neox", "embed_tokens", "embed_in"},
                                    TableName{"gpt_neox", "lm_head", "embed_out"}};

bool alwaysStacked(const ModelSpec& model) {
    return std::ranges::find(kAlwaysStacked, model.family) != kAlwaysStacked.end();
}

bool isOfMlp(std::string_view target) {
    return std::ranges::find(kOfMlp, target) != kOfMlp.end();
}

/// "kv_a, kv_b, o and q"
std::string andList(const NameSet& names) {
    std::string text;
    std::size_t left = names.size();
    for (const std::string& name : names) {
        text += text.empty() ? "" : left == 1 ? " and " : ", ";
        text += name;
        --left;
    }
    return text;
}

/// `all-linear` as the names that it stands for.
NameSet spelledOut(const ModelSpec& model, const NameSet& targets) {
    NameSet out;
    for (const std::string& target : targets) {
        if (target != "all-linear") {
            out.insert(target);
            continue;
        }
        for (const NameSet& names : {attentionTargets(model), NameSet{"gate", "up", "down"}}) {
            for (const std::string& linear : names) {
                out.insert(linear);
            }
        }
        if (model.moe && !alwaysStacked(model)) {
            out.insert("router");
        }
    }
    return out;
}

/// Llama4Router is a linear layer to PEFT, but returns two tensors.
Result<void> checkEveryLinear(const ModelSpec& model, const NameSet& targets) {
    const bool all = targets.contains("all-linear");
    if (model.family != "llama4_text" || !(all || targets.contains("router"))) {
        return {};
    }
    return fail(Error::Code::BadInput,
                "settings.lora.targets",
                std::string("PEFT cannot adapt Llama4Router") +
                    (all ? ", which all-linear has too" : "") +
                    ": 'tuple' object has no attribute 'dtype'",
                "settings.lora.targets=q+k+v+o+gate+up+down");
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

std::vector<std::string> savedModuleNames(const ModelSpec& model, const LoraSettings& lora) {
    std::vector<std::string> names;
    for (const std::string& module : lora.modulesToSave) {
        const auto* const found = std::ranges::find_if(kTableNames, [&](const TableName& one) {
            return one.family == model.family && one.module == module;
        });
        names.emplace_back(found == kTableNames.end() ? std::string_view(module) : found->name);
    }
    return names;
}

std::string_view savedModule(std::string_view name) {
    const std::string_view last = name.substr(name.rfind('.') + 1);
    if (const auto* const known = std::ranges::find(kSavedModules, last);
        known != kSavedModules.end()) {
        return *known;
    }
    const auto* const found = std::ranges::find(kTableNames, last, &TableName::name);
    return found == kTableNames.end() ? std::string_view{} : found->module;
}

NameSet attentionTargets(const ModelSpec& model) {
    const AttentionSpec& attention = model.attention;
    if (attention.kind != AttentionKind::Latent) {
        return {"q", "k", "v", "o"};
    }
    return attention.qLoraRank > 0 ? NameSet{"q_a", "q_b", "kv_a", "kv_b", "o"}
                                   : NameSet{"q", "kv_a", "kv_b", "o"};
}

NameSet usualTargets(const ModelSpec& model) {
    return model.moe || model.attention.kind == AttentionKind::Latent ? attentionTargets(model)
                                                                      : everyLinear();
}

Result<NameSet> targetsInPeft(const ModelSpec& model, const NameSet& targets) {
    FABRICAST_TRY(checkEveryLinear(model, targets));
    const NameSet named = spelledOut(model, targets);
    if (!model.moe || model.family == "llama4_text") {
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
    const std::string block = model.family == "granitemoe" ? "block_sparse_moe." : "mlp.";
    const bool experts = model.moe && targets.contains("experts");
    const bool router = model.moe && targets.contains("router");
    for (const std::string& target : targets) {
        const bool stack = target == "experts" || target == "router";
        const bool ofExperts = stack || (isOfMlp(target) && model.family != "llama4_text");
        if (!(model.moe && ofExperts)) {
            names.modules.push_back(target + (target == "kv_a" ? "_proj_with_mqa" : "_proj"));
        }
    }
    if (experts && stacked) {
        names.parameters = {block + "experts.gate_up_proj", block + "experts.down_proj"};
    } else if (experts) {
        for (std::size_t i = 0; i < kOfMlp.size(); ++i) {
            const bool mixtral = model.family == "mixtral";
            names.modules.push_back(mixtral ? std::string(kOfMixtral[i])
                                            : std::string(kOfMlp[i]) + "_proj");
        }
    }
    if (router && stacked) {
        names.parameters.push_back(block + "router.weight");
    } else if (router) {
        names.modules.emplace_back("gate");
    }
    return names;
}

PeftNames peftNames(const ModelSpec& model, const NameSet& targets) {
    PeftNames names = peftNamesOfEach(model, targets);
    const bool stacked = model.moe && alwaysStacked(model);
    const NameSet usual = attentionTargets(model);
    const bool attention =
        std::ranges::all_of(usual, [&](const std::string& name) { return targets.contains(name); });
    const bool all = !model.moe                      ? targets == everyLinear()
                     : model.family == "llama4_text" ? false
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
        return "LoRA on all linear layers of the blocks (settings.lora.targets)";
    }
    const bool latent = model.attention.kind == AttentionKind::Latent;
    const std::string frozen = "LoRA on " +
                               (latent ? andList(attentionTargets(model)) : "q, k, v and o") +
                               "; experts and router, which are no nn.Linear, are frozen (";
    if (model.family == "llama4_text") {
        return frozen.substr(0, frozen.size() - 2);
    }
    const std::string more = "settings.lora.targets=all-linear";
    return frozen + more + (alwaysStacked(model) ? "+experts+router" : "") + " adapts them)";
}

}  // namespace fabricast
