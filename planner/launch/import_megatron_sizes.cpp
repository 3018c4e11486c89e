#include "planner/launch/import_megatron.h"
#include "planner/launch/scenario_draft.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

using namespace std::string_view_literals;

/// A number that the file itself has; nothing of what only the shell works out.
std::optional<std::int64_t> sizeIn(std::string_view text) {
    std::int64_t size = 0;
    const auto [end, trouble] = std::from_chars(text.data(), text.data() + text.size(), size);
    const bool isSize = trouble == std::errc() && end == text.data() + text.size() && size >= 0;
    return isSize ? std::optional(size) : std::nullopt;
}

/// A size of the model that an argument says.
struct SaidSize {
    std::string_view argument;
    std::string_view name;  ///< of ImportedSize
};
constexpr std::array kSaidNumbers = {
    SaidSize{"--num-layers", "layers"},
    SaidSize{"--hidden-size", "hidden"},
    SaidSize{"--ffn-hidden-size", "ffn_width"},
    SaidSize{"--num-attention-heads", "heads"},
    SaidSize{"--num-query-groups", "kv_heads"},
    SaidSize{"--kv-channels", "head_dim"},
    SaidSize{"--vocab-size", "vocabulary"},
    SaidSize{"--num-experts", "experts"},
    SaidSize{"--moe-router-topk", "experts_per_token"},
    SaidSize{"--moe-ffn-hidden-size", "expert_width"},
    SaidSize{"--moe-shared-expert-intermediate-size", "shared_width"},
    SaidSize{"--mtp-num-layers", "mtp_layers"},
    SaidSize{"--q-lora-rank", "q_rank"},
    SaidSize{"--kv-lora-rank", "kv_rank"},
    SaidSize{"--qk-head-dim", "qk_dim"},
    SaidSize{"--qk-pos-emb-head-dim", "rotated_dim"},
    SaidSize{"--v-head-dim", "value_dim"}};
/// Switches, which are off where they are not typed.
constexpr std::array kSaidSwitches = {SaidSize{"--multi-latent-attention", "latent"},
                                      SaidSize{"--qk-layernorm", "qk_norm"},
                                      SaidSize{"--add-qkv-bias", "qkv_bias"},
                                      SaidSize{"--untie-embeddings-and-output-weights", "untied"}};
/// Each makes an MLP of three matrices.
constexpr std::array kGates = {"--swiglu"sv, "--quick-geglu"sv};

/// "([0]*3+[1]*58)": one after the other, how many layers have experts; nothing of other patterns.
std::optional<std::int64_t> sparseIn(std::string_view pattern) {
    std::int64_t sparse = 0;
    if (!pattern.starts_with('(') || !pattern.ends_with(')')) {
        return std::nullopt;
    }
    pattern = pattern.substr(1, pattern.size() - 2);
    while (!pattern.empty()) {
        const std::string_view run = pattern.substr(0, pattern.find('+'));
        pattern.remove_prefix(std::min(pattern.size(), run.size() + 1));
        const bool isRun = run.starts_with("[0]*") || run.starts_with("[1]*");
        const std::optional<std::int64_t> layers = sizeIn(isRun ? run.substr(4) : ""sv);
        if (!layers) {
            return std::nullopt;
        }
        sparse += run[1] == '1' ? *layers : 0;
    }
    return sparse;
}

/// One file's arguments, and what of the model they say.
class SaidModel {
public:
    SaidModel(ScenarioDraft& draft, bool isWhole) : draft_(draft), keys_(draft.keys()) {
        for (const std::string_view needed : {"--num-layers"sv,
                                              "--hidden-size"sv,
                                              "--ffn-hidden-size"sv,
                                              "--num-attention-heads"sv}) {
            isWhole = isWhole && keys_.has(needed);
        }
        isWhole_ = isWhole && !keys_.has("--use-checkpoint-args");
    }

    void keep() {
        for (const SaidSize& one : kSaidNumbers) {
            if (const auto size = said(one.argument)) {
                put(one.name, *size, one.argument);
            }
        }
        for (const SaidSize& one : kSaidSwitches) {
            if (isWhole_ || keys_.has(one.argument)) {
                put(one.name, keys_.has(one.argument) ? 1 : 0, one.argument);
            }
        }
        keepGate();
        keepSparse();
        if (isWhole_) {
            keepDefaults();
        }
    }

private:
    [[nodiscard]] std::optional<std::int64_t> said(std::string_view argument) const {
        const LaunchKey* const key = keys_.find(argument);
        return key != nullptr && key->values.size() == 1 ? sizeIn(key->values.front())
                                                         : std::nullopt;
    }

    /// At the argument, or where the layers stand.
    void put(std::string_view name, std::int64_t size, std::string_view argument) {
        draft_.set("imported.sizes." + std::string(name),
                   size,
                   keys_.has(argument) ? argument : "--num-layers"sv);
    }

    /// What Megatron's parser has where nobody says it.
    void byDefault(std::string_view name, std::string_view argument, std::int64_t size) {
        if (!keys_.has(argument)) {
            put(name, size, argument);
        }
    }

    void keepGate() {
        for (const std::string_view gate : kGates) {
            if (keys_.has(gate)) {
                return put("gated", 1, gate);
            }
        }
        if (isWhole_) {
            put("gated", 0, "--num-layers");
        }
    }

    void keepSparse() {
        const char* const argument = "--moe-layer-freq";
        const LaunchKey* const key = keys_.find(argument);
        const std::string pattern =
            key == nullptr || key->values.size() != 1 ? "" : key->values.front();
        const std::optional<std::int64_t> layers = said("--num-layers");
        const std::optional<std::int64_t> every = key == nullptr ? 1 : sizeIn(pattern);
        if (!keys_.has("--num-experts") || !layers || (key == nullptr && !isWhole_)) {
            return;
        }
        // Every n-th from the first on.
        const std::optional<std::int64_t> sparse =
            every && *every > 0 ? std::optional((*layers + *every - 1) / *every)
                                : sparseIn(pattern);
        if (sparse) {
            put("sparse_layers", *sparse, argument);
        }
    }

    void keepDefaults() {
        for (const SaidSize& one :
             {SaidSize{"--num-experts", "experts"},
              SaidSize{"--mtp-num-layers", "mtp_layers"},
              SaidSize{"--moe-shared-expert-intermediate-size", "shared_width"}}) {
            byDefault(one.name, one.argument, 0);
        }
        keepExpertDefaults();
        const auto heads = said("--num-attention-heads");
        const auto hidden = said("--hidden-size");
        if (heads && !keys_.has("--group-query-attention")) {
            put("kv_heads", *heads, "--num-query-groups");
        }
        if (heads && hidden && *heads > 0) {
            byDefault("head_dim", "--kv-channels", *hidden / *heads);
        }
    }

    void keepExpertDefaults() {
        constexpr std::int64_t kUsualExperts = 2;
        if (keys_.has("--num-experts")) {
            byDefault("experts_per_token", "--moe-router-topk", kUsualExperts);
            const auto width = said("--ffn-hidden-size");
            byDefault("expert_width", "--moe-ffn-hidden-size", width.value_or(0));
        }
    }

    ScenarioDraft& draft_;
    LaunchKeys& keys_;
    bool isWhole_ = false;  ///< what is not typed has Megatron's defaults
};

}  // namespace

void keepSaidSizes(ScenarioDraft& draft, MegatronWords words) {
    SaidModel(draft, words == MegatronWords::Arguments).keep();
}

}  // namespace fabricast
