#pragma once
#include "planner/base/result.h"
#include "planner/spec/model_spec.h"
#include "planner/spec/settings.h"

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace fabricast {

/// Whether bitsandbytes stores the weights below the adapters in fewer than 16 bits.
constexpr bool isQuantized(Dtype base) {
    return base == Dtype::Nf4 || base == Dtype::Int8;
}

/// Linear layers that adapters are for, as a scenario names them.
inline constexpr std::array<std::string_view, 14> kLoraTargets = {"all-linear",
                                                                  "q",
                                                                  "k",
                                                                  "v",
                                                                  "o",
                                                                  "gate",
                                                                  "up",
                                                                  "down",
                                                                  "experts",
                                                                  "router",
                                                                  "q_a",
                                                                  "q_b",
                                                                  "kv_a",
                                                                  "kv_b"};

/// What may be trained whole beside adapters, as a scenario names it.
inline constexpr std::array<std::string_view, 2> kSavedModules = {"embed_tokens", "lm_head"};
/// The same as a model's code calls it: "wte" of GPT-2.
std::vector<std::string> savedModuleNames(const ModelSpec& model, const LoraSettings& lora);
/// The module that a LoraConfig means, whatever the family calls it; empty for any other.
///     savedModule("model.embed_tokens")  →  "embed_tokens"
std::string_view savedModule(std::string_view name);

/// Names of attention's linear layers: q, k, v and o, or q_a, q_b, kv_a, kv_b and o of a latent
/// one.
NameSet attentionTargets(const ModelSpec& model);

/// What recipes adapt where nobody says: every linear layer of the blocks. Of a model with experts
/// these are attention's: to PEFT (0.21) the names of its other linear layers are the experts'.
NameSet usualTargets(const ModelSpec& model);

/// What PEFT adapts of the layers that it is told. Where experts were linear layers each before
/// transformers 5, the names gate, up and down are theirs, and `all-linear` has them and the
/// router; GPT-OSS's stacks are never meant by it.
Result<NameSet> targetsInPeft(const ModelSpec& model, const NameSet& targets);

/// The same as a LoraConfig names it.
struct PeftNames {
    std::vector<std::string> modules;     ///< target_modules, or "all-linear" alone
    std::vector<std::string> parameters;  ///< target_parameters
};
PeftNames peftNames(const ModelSpec& model, const NameSet& targets);
/// The same without "all-linear".
PeftNames peftNamesOfEach(const ModelSpec& model, const NameSet& targets);

/// What is adapted where nobody says, as an assumption.
std::string aboutTargets(const ModelSpec& model);

}  // namespace fabricast
