#include "planner/launch/unfrozen_weights.h"

#include <algorithm>
#include <array>
#include <regex>
#include <string_view>

namespace fabricast {

namespace {

using Kind = TrainedPart::Kind;

constexpr std::array<std::string_view, 11> kLayerWeights = {"self_attn.q_proj.weight",
                                                            "self_attn.k_proj.weight",
                                                            "self_attn.v_proj.weight",
                                                            "self_attn.o_proj.weight",
                                                            "self_attn.q_norm.weight",
                                                            "self_attn.k_norm.weight",
                                                            "mlp.gate_proj.weight",
                                                            "mlp.up_proj.weight",
                                                            "mlp.down_proj.weight",
                                                            "input_layernorm.weight",
                                                            "post_attention_layernorm.weight"};
constexpr std::string_view kTable = "model.embed_tokens.weight";
constexpr std::string_view kHead = "lm_head.weight";

struct NamedWeight {
    std::string name;
    std::int64_t layer = -1;
    bool norm = false;
};

std::vector<NamedWeight> weightsOf(std::int64_t layers) {
    std::vector<NamedWeight> weights = {
        {std::string(kTable)}, {"model.norm.weight", -1, true}, {std::string(kHead)}};
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        for (const std::string_view part : kLayerWeights) {
            weights.push_back({"model.layers." + std::to_string(layer) + "." + std::string(part),
                               layer,
                               part.find("norm") != std::string_view::npos});
        }
    }
    return weights;
}

bool isTrained(const TrainedPart& part, const NamedWeight& weight, std::int64_t layers) {
    switch (part.kind) {
        case Kind::All:
            return true;
        case Kind::Last:
            return weight.name != kTable &&
                   (weight.layer < 0 || weight.layer >= layers - part.layers);
        case Kind::Norms:
            return weight.norm;
        case Kind::NoEmbedding:
            return weight.name != kTable;
    }
    return true;
}

/// Patterns that are cheap to match: a quantifier repeats one letter or class.
bool isPlain(const std::string& pattern) {
    constexpr std::string_view kLetters =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.^$[]()|+*?-";
    constexpr std::size_t kLongest = 200;
    const bool known = pattern.find_first_not_of(kLetters) == std::string::npos;
    const bool repeatsGroup =
        pattern.find(")+") != std::string::npos || pattern.find(")*") != std::string::npos;
    return known && !repeatsGroup && !pattern.empty() && pattern.size() <= kLongest;
}

/// As Axolotl reads it: each dot that no plus follows is a dot.
std::optional<std::regex> compiled(const std::string& pattern) {
    std::string text;
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        const bool dot = pattern[at] == '.' && pattern.substr(at + 1, 1) != "+";
        text += dot ? "\\." : pattern.substr(at, 1);
    }
    try {
        return std::regex(text);
    } catch (const std::regex_error&) {
        return std::nullopt;
    }
}

}  // namespace

std::optional<TrainedPart> unfrozenPart(const std::vector<std::string>& patterns,
                                        std::int64_t layers) {
    constexpr std::size_t kMostPatterns = 256;
    if (patterns.size() > kMostPatterns) {
        return std::nullopt;
    }
    std::vector<std::regex> all;
    for (const std::string& pattern : patterns) {
        const auto one = isPlain(pattern) ? compiled(pattern) : std::nullopt;
        if (!one) {
            return std::nullopt;
        }
        all.push_back(*one);
    }
    const std::vector<NamedWeight> weights = weightsOf(layers);
    std::vector<bool> matched;
    std::int64_t first = layers;
    for (const NamedWeight& weight : weights) {
        matched.push_back(std::ranges::any_of(all, [&](const std::regex& pattern) {
            constexpr auto kFromStart = std::regex_constants::match_continuous;
            return std::regex_search(weight.name, pattern, kFromStart);
        }));
        first = matched.back() && weight.layer >= 0 ? std::min(first, weight.layer) : first;
    }
    for (const TrainedPart& part : {TrainedPart{Kind::Last, layers - first},
                                    TrainedPart{Kind::Norms},
                                    TrainedPart{Kind::NoEmbedding},
                                    TrainedPart{Kind::All}}) {
        const bool possible = part.kind != Kind::Last || part.layers > 0;
        const bool same = std::ranges::equal(weights, matched, [&](const auto& weight, bool is) {
            return isTrained(part, weight, layers) == is;
        });
        if (possible && same) {
            return part;
        }
    }
    return std::nullopt;
}

}  // namespace fabricast
