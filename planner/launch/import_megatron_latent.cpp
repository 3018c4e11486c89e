#include "planner/launch/import_megatron.h"
#include "planner/launch/scenario_draft.h"

#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

constexpr std::array kLatentShape = {
    std::pair{"--q-lora-rank"sv, "q_lora_rank"sv},
    std::pair{"--kv-lora-rank"sv, "kv_lora_rank"sv},
    std::pair{"--qk-head-dim"sv, "qk_nope_head_dim"sv},
    std::pair{"--qk-pos-emb-head-dim"sv, "qk_rope_head_dim"sv},
    std::pair{"--v-head-dim"sv, "v_head_dim"sv},
    std::pair{"--num-experts"sv, "n_routed_experts"sv},
    std::pair{"--moe-router-topk"sv, "num_experts_per_tok"sv},
    std::pair{"--moe-ffn-hidden-size"sv, "moe_intermediate_size"sv},
    std::pair{"--mtp-num-layers"sv, "num_nextn_predict_layers"sv}};

/// Megatron-Core's own, where nothing is said.
constexpr std::int64_t kUsualKvRank = 32;

std::optional<std::int64_t> wholeAt(std::string_view& text, std::string_view before) {
    std::int64_t number = 0;
    if (!text.starts_with(before)) {
        return std::nullopt;
    }
    text.remove_prefix(before.size());
    const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return trouble == std::errc() && number >= 0 ? std::optional(number) : std::nullopt;
}

/// How many layers are dense before all that have experts: 3 of "([0]*3+[1]*58)". Nothing where
/// they are not so.
std::optional<std::int64_t> denseFirst(LaunchKeys& keys) {
    const std::string said = keys.text("--moe-layer-freq").value_or("1");
    if (said == "1") {
        return 0;
    }
    std::string_view rest = said;
    const std::optional<std::int64_t> dense = wholeAt(rest, "([0]*");
    const bool isSparse = wholeAt(rest, dense ? "+[1]*" : "([1]*").has_value();
    return isSparse && rest == ")" ? std::optional(dense.value_or(0)) : std::nullopt;
}

std::optional<std::int64_t> widthSaid(const LaunchKeys& keys, std::string_view argument) {
    const LaunchKey* const key = keys.find(argument);
    std::string_view text = key == nullptr || key->values.size() != 1
                                ? std::string_view()
                                : std::string_view(key->values.front());
    const std::optional<std::int64_t> size = wholeAt(text, "");
    return text.empty() ? size : std::nullopt;
}

/// As many experts as every token goes through are one of their widths together; nothing where
/// their width is no multiple of it.
std::optional<std::int64_t> sharedExperts(const LaunchKeys& keys) {
    constexpr const char* kShared = "--moe-shared-expert-intermediate-size";
    if (!keys.has(kShared)) {
        return 0;
    }
    const std::int64_t width = widthSaid(keys, "--moe-ffn-hidden-size").value_or(0);
    const std::int64_t all = widthSaid(keys, kShared).value_or(-1);
    return width > 0 && all >= 0 && all % width == 0 ? std::optional(all / width) : std::nullopt;
}

bool hasSigmoidScore(LaunchKeys& keys) {
    return keys.text("--moe-router-score-function").value_or("softmax") == "sigmoid";
}

}  // namespace

std::string notALatentDecoder(LaunchKeys& keys) {
    for (const char* const argument : {"--num-experts", "--qk-layernorm"}) {
        if (!keys.has(argument)) {
            return std::string("--multi-latent-attention without ") + argument + " is not read";
        }
    }
    for (const char* const argument : {"--moe-shared-expert-gate", "--add-qkv-bias"}) {
        if (keys.has(argument)) {
            return std::string(argument) + " beside --multi-latent-attention is not read";
        }
    }
    if (!denseFirst(keys)) {
        return "--moe-layer-freq is not a run of dense layers, and one with experts behind it";
    }
    if (!sharedExperts(keys)) {
        return "--moe-shared-expert-intermediate-size is no multiple of --moe-ffn-hidden-size";
    }
    if (hasSigmoidScore(keys) != keys.has("--moe-router-enable-expert-bias")) {
        return "--moe-router-score-function sigmoid and --moe-router-enable-expert-bias are read "
               "together only";
    }
    return keys.has("--mtp-num-layers") && !hasSigmoidScore(keys)
               ? "--mtp-num-layers is read with --moe-router-score-function sigmoid only"
               : "";
}

std::string latentDecoderOf(LaunchKeys& keys) {
    return hasSigmoidScore(keys) ? "deepseek_v3" : "deepseek_v2";
}

Result<void> importLatentModel(ScenarioDraft& draft) {
    LaunchKeys& keys = draft.keys();
    for (const auto& [argument, name] : kLatentShape) {
        FABRICAST_TRY(draft.copyWhole("model." + std::string(name), argument));
    }
    if (!keys.has("--q-lora-rank")) {  // one plain projection
        draft.setNull("model.q_lora_rank", "--multi-latent-attention");
    }
    if (!keys.has("--kv-lora-rank")) {
        draft.set("model.kv_lora_rank", kUsualKvRank, "--multi-latent-attention");
    }
    if (!keys.has("--moe-router-topk")) {
        draft.set("model.num_experts_per_tok", std::int64_t{2}, "--num-experts");
    }
    if (!keys.has("--mtp-num-layers") && hasSigmoidScore(keys)) {
        draft.set("model.num_nextn_predict_layers", std::int64_t{0}, "--multi-latent-attention");
    }
    draft.set("model.first_k_dense_replace", denseFirst(keys).value_or(0), "--moe-layer-freq");
    draft.set("model.n_shared_experts",
              sharedExperts(keys).value_or(0),
              "--moe-shared-expert-intermediate-size");
    // Groups that a token is kept to are not among what is written.
    draft.set("model.n_group", std::int64_t{1}, "--num-experts");
    draft.set("model.topk_group", std::int64_t{1}, "--num-experts");
    return {};
}

}  // namespace fabricast
