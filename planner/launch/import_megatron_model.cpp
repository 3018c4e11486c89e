#include "planner/launch/import_megatron.h"
#include "planner/launch/scenario_draft.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// An argument, and the key of Hugging Face's config that says the same.
using ShapeKey = std::pair<std::string_view, std::string_view>;

/// Numbers of a model that Hugging Face's config names, for the decoders that are read.
constexpr std::array kShape = {
    std::pair{"--num-layers"sv, "num_hidden_layers"sv},
    std::pair{"--hidden-size"sv, "hidden_size"sv},
    std::pair{"--ffn-hidden-size"sv, "intermediate_size"sv},
    std::pair{"--num-attention-heads"sv, "num_attention_heads"sv},
    std::pair{"--num-query-groups"sv, "num_key_value_heads"sv},
    std::pair{"--kv-channels"sv, "head_dim"sv},
    std::pair{"--vocab-size"sv, "vocab_size"sv},
    std::pair{"--max-position-embeddings"sv, "max_position_embeddings"sv}};
constexpr std::array kMixtralShape = {std::pair{"--num-experts"sv, "num_local_experts"sv},
                                      std::pair{"--moe-router-topk"sv, "num_experts_per_tok"sv},
                                      std::pair{"--moe-ffn-hidden-size"sv, "intermediate_size"sv}};
constexpr std::array kQwenShape = {std::pair{"--num-experts"sv, "num_experts"sv},
                                   std::pair{"--moe-router-topk"sv, "num_experts_per_tok"sv},
                                   std::pair{"--moe-ffn-hidden-size"sv, "moe_intermediate_size"sv}};

/// Positions before its own that a row of every layer sees; 0 where all, or not of every layer.
std::int64_t windowOf(const LaunchKeys& keys) {
    const LaunchKey* const key = keys.find("--window-size");
    const std::string typed = key == nullptr || key->values.empty() ? "" : key->values.front();
    std::int64_t before = 0;
    (void)std::from_chars(typed.data(), typed.data() + typed.size(), before);
    return keys.has("--window-attn-skip-freq") ? 0 : before;
}

/// Of a tokenizer that is named for a known model, where no size of the vocabulary is typed.
std::optional<std::int64_t> tokensOf(LaunchKeys& keys, const ImportContext& context) {
    const std::optional<std::string> name = keys.text("--tokenizer-model");
    return name && context.vocabulary && !keys.has("--vocab-size") ? context.vocabulary(*name)
                                                                   : std::nullopt;
}

/// Whether keys and values are projected down, as DeepSeek's are.
bool isLatent(LaunchKeys& keys) {
    return keys.use("--multi-latent-attention") != nullptr;
}

/// What keeps the arguments from being one of the decoders that are read; empty where nothing does.
std::string notADecoder(LaunchKeys& keys, bool hasTokens) {
    if (keys.has("--window-attn-skip-freq")) {
        return "--window-attn-skip-freq is not read";
    }
    if (isLatent(keys)) {
        if (std::string why = notALatentDecoder(keys); !why.empty()) {
            return why;
        }
    } else {
        for (const char* const argument :
             {"--moe-shared-expert-intermediate-size", "--mtp-num-layers"}) {
            if (keys.has(argument)) {
                return std::string(argument) + " is not read";
            }
        }
    }
    const bool isPart = keys.text("--rotary-percent").value_or("1").find("0.") == 0;
    if (isPart || keys.text("--softmax-type").value_or("vanilla") != "vanilla") {
        return std::string(isPart ? "--rotary-percent" : "--softmax-type") + " is not read";
    }
    if (!keys.has("--swiglu") || keys.text("--normalization") != "RMSNorm") {
        return "it has not both --swiglu and --normalization RMSNorm";
    }
    return hasTokens || keys.has("--vocab-size") ? "" : "--vocab-size is not said";
}

/// Whose decoder the arguments make, by the name of its class; empty where -m says the model.
std::string decoderOf(LaunchKeys& keys, bool hasTokens) {
    if (!notADecoder(keys, hasTokens).empty()) {
        return "";
    }
    if (isLatent(keys)) {
        return latentDecoderOf(keys);
    }
    const bool biased = keys.use("--add-qkv-bias") != nullptr;  // as Qwen 2 has it
    const bool normed = keys.has("--qk-layernorm");
    const bool windowed = keys.has("--window-size");
    const bool isMixed = keys.text("--moe-layer-freq").value_or("").find("[0]") !=
                         std::string::npos;  // dense layers, too
    if ((normed && (biased || windowed)) || isMixed) {
        return "";
    }
    if (keys.has("--num-experts")) {
        return normed ? "qwen3_moe" : windowed ? "" : "mixtral";
    }
    return normed ? "qwen3" : windowed ? "mistral" : biased ? "qwen2" : "llama";
}

Result<void> copyAll(ScenarioDraft& draft, std::span<const ShapeKey> shape) {
    for (const auto& [argument, name] : shape) {
        FABRICAST_TRY(draft.copyWhole("model." + std::string(name), argument));
    }
    return {};
}

/// NullTokenizer's end of a document comes on top; a program of Bridge says the model's own.
Result<void> importVocabulary(ScenarioDraft& draft, std::optional<std::int64_t> tokens) {
    LaunchKeys& keys = draft.keys();
    if (tokens) {
        draft.set("model.vocab_size", *tokens, "--tokenizer-model");
        draft.assume("model.vocab_size",
                     "as many tokens as " + keys.text("--tokenizer-model").value() +
                         " has (--vocab-size says others)");
    } else if (keys.text("--tokenizer-type") == "NullTokenizer" &&
               !keys.source().ends_with(".py")) {
        FABRICAST_ASSIGN(const auto typed, keys.whole("--vocab-size"));
        draft.set("model.vocab_size", typed.value_or(0) + 1, "--vocab-size");
    }
    return {};
}

/// Megatron divides no heads into groups without that switch.
Result<void> importGroups(ScenarioDraft& draft, MegatronWords words) {
    const LaunchKeys& keys = draft.keys();
    const bool isDivided = words != MegatronWords::Arguments || keys.has("--group-query-attention");
    return isDivided && keys.has("--num-query-groups")
               ? Result<void>()
               : draft.copyWhole("model.num_key_value_heads", "--num-attention-heads");
}

Result<void> importWindow(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    const std::int64_t before = windowOf(keys);
    if (before <= 0) {
        return keys.refuse(*keys.use("--window-size"), "must be two numbers", "4095,0");
    }
    draft.set("model.sliding_window", before + 1, "--window-size");
    return {};
}

/// Keys of Hugging Face's config for a decoder of that class.
Result<void> importDecoder(ScenarioDraft& draft, const std::string& decoder) {
    LaunchKeys& keys = draft.keys();
    draft.set("model.model_type", decoder, "--num-layers");
    FABRICAST_TRY(copyAll(draft, kShape));
    if (!keys.has("--max-position-embeddings")) {  // as NeMo and Bridge have it
        FABRICAST_TRY(draft.copyWhole("model.max_position_embeddings", "--seq-length"));
    }
    if (decoder == "mixtral") {
        FABRICAST_TRY(copyAll(draft, kMixtralShape));
    } else if (decoder == "qwen3_moe") {
        FABRICAST_TRY(copyAll(draft, kQwenShape));
    } else if (decoder == "mistral") {
        FABRICAST_TRY(importWindow(draft));
    } else if (isLatent(keys)) {
        FABRICAST_TRY(importLatentModel(draft));
    }
    draft.set("model.tie_word_embeddings",
              !keys.has("--untie-embeddings-and-output-weights"),
              "--untie-embeddings-and-output-weights");
    return {};
}

}  // namespace

Result<void> importMegatronModel(ScenarioDraft& draft,
                                 MegatronWords words,
                                 const ImportContext& context) {
    LaunchKeys& keys = draft.keys();
    keepSaidSizes(draft, words);
    const std::optional<std::int64_t> tokens = tokensOf(keys, context);
    if (tokens) {
        draft.set("imported.sizes.vocabulary", *tokens, "--tokenizer-model");
    }
    if (const auto named = keys.text("model")) {  // by the class of a NeMo program
        draft.set("model", *named, "model");
        return {};
    }
    const std::string decoder = decoderOf(keys, tokens.has_value());
    if (decoder.empty()) {
        const std::string why = notADecoder(keys, tokens.has_value());
        draft.assume(
            "model",
            "no decoder is made of the arguments" + (why.empty() ? "" : ", as " + why) +
                ": taken is the known model that has all of their sizes, if there is one (-m)");
        return {};
    }
    FABRICAST_TRY(importDecoder(draft, decoder));
    FABRICAST_TRY(importVocabulary(draft, tokens));
    return importGroups(draft, words);
}

}  // namespace fabricast
