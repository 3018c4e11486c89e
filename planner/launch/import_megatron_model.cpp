#include "planner/launch/import_megatron.h"
#include "planner/launch/scenario_draft.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

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

/// Of them what no name of a model may contradict.
constexpr std::array kSaid = {std::pair{"--num-layers"sv, "layers"sv},
                              std::pair{"--hidden-size"sv, "hidden"sv},
                              std::pair{"--ffn-hidden-size"sv, "ffn_width"sv},
                              std::pair{"--num-attention-heads"sv, "heads"sv},
                              std::pair{"--num-query-groups"sv, "kv_heads"sv}};

/// What is known to the shell alone is left out.
void keepSaidSizes(ScenarioDraft& draft) {
    for (const auto& [argument, name] : kSaid) {
        const LaunchKey* const key = draft.keys().find(argument);
        if (key == nullptr || key->values.size() != 1) {
            continue;
        }
        const std::string& text = key->values.front();
        std::int64_t size = 0;
        const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), size);
        if (trouble == std::errc() && end == text.data() + text.size() && size > 0) {
            draft.set("imported.sizes." + std::string(name), size, argument);
        }
    }
}

/// Positions before its own that a row of every layer sees; 0 where all, or not of every layer.
std::int64_t windowOf(const LaunchKeys& keys) {
    const LaunchKey* const key = keys.find("--window-size");
    const std::string typed = key == nullptr || key->values.empty() ? "" : key->values.front();
    std::int64_t before = 0;
    (void)std::from_chars(typed.data(), typed.data() + typed.size(), before);
    return keys.has("--window-attn-skip-freq") ? 0 : before;
}

/// Whether keys and values are projected down, as DeepSeek's are.
bool isLatent(LaunchKeys& keys) {
    return keys.use("--multi-latent-attention") != nullptr;
}

/// What keeps the arguments from being one of the decoders that are read; empty where nothing does.
std::string notADecoder(LaunchKeys& keys) {
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
    return keys.has("--vocab-size") ? "" : "--vocab-size is not said";
}

/// Whose decoder the arguments make, by the name of its class; empty where -m says the model.
std::string decoderOf(LaunchKeys& keys) {
    if (!notADecoder(keys).empty()) {
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

}  // namespace

Result<void> importMegatronModel(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    keepSaidSizes(draft);
    if (const auto named = keys.text("model")) {  // by the class of a NeMo program
        draft.set("model", *named, "model");
        return {};
    }
    const std::string decoder = decoderOf(keys);
    if (decoder.empty()) {
        const std::string why = notADecoder(keys);
        draft.assume("model",
                     "the model's shape is not read" + (why.empty() ? "" : ", as " + why) +
                         ": -m names the model");
        return {};
    }
    draft.set("model.model_type", decoder, "--num-layers");
    const auto copyAll = [&draft](const auto& shape) -> Result<void> {
        for (const auto& [argument, name] : shape) {
            FABRICAST_TRY(draft.copyWhole("model." + std::string(name), argument));
        }
        return {};
    };
    FABRICAST_TRY(copyAll(kShape));
    // NullTokenizer's end of a document comes on top; a program of Bridge says the model's own.
    if (keys.text("--tokenizer-type") == "NullTokenizer" && !keys.source().ends_with(".py")) {
        FABRICAST_ASSIGN(const auto words, keys.whole("--vocab-size"));
        draft.set("model.vocab_size", words.value_or(0) + 1, "--vocab-size");
    }
    if (!keys.has("--max-position-embeddings")) {  // as NeMo and Bridge have it
        FABRICAST_TRY(draft.copyWhole("model.max_position_embeddings", "--seq-length"));
    }
    if (decoder == "mixtral") {
        FABRICAST_TRY(copyAll(kMixtralShape));
    } else if (decoder == "qwen3_moe") {
        FABRICAST_TRY(copyAll(kQwenShape));
    } else if (isLatent(keys)) {
        FABRICAST_TRY(importLatentModel(draft));
    }
    if (const std::int64_t before = windowOf(keys); decoder == "mistral" && before > 0) {
        draft.set("model.sliding_window", before + 1, "--window-size");
    } else if (decoder == "mistral") {
        return keys.refuse(*keys.use("--window-size"), "must be two numbers", "4095,0");
    }
    if (!keys.has("--num-query-groups")) {
        FABRICAST_TRY(draft.copyWhole("model.num_key_value_heads", "--num-attention-heads"));
    }
    draft.set("model.tie_word_embeddings",
              !keys.has("--untie-embeddings-and-output-weights"),
              "--untie-embeddings-and-output-weights");
    return {};
}

}  // namespace fabricast
