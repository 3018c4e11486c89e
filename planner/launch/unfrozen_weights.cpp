#include "planner/launch/unfrozen_weights.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <regex>
#include <string_view>
#include <utility>

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

/// "[-4:]" of so many layers: the first, and behind the last.
std::optional<std::pair<std::int64_t, std::int64_t>> layersIn(const std::string& slice,
                                                              std::int64_t layers) {
    const std::size_t colon = slice.find(':');
    const auto place = [layers](const std::string& text,
                                std::int64_t usual) -> std::optional<std::int64_t> {
        std::int64_t value = usual;
        const char* const end = text.data() + text.size();
        const auto [stop, trouble] = std::from_chars(text.data(), end, value);
        const bool isNumber = text.empty() || (trouble == std::errc() && stop == end);
        return isNumber ? std::optional(std::clamp(
                              value < 0 ? value + layers : value, std::int64_t{0}, layers))
                        : std::nullopt;
    };
    const auto first = place(slice.substr(0, colon), 0);
    if (colon == std::string::npos) {
        return first && !slice.empty() ? std::optional(std::pair(*first, *first + 1))
                                       : std::nullopt;
    }
    const auto last = place(slice.substr(colon + 1), layers);
    return first && last ? std::optional(std::pair(*first, *last)) : std::nullopt;
}

/// Which weights a part of a model has; empty where it is not known.
std::optional<std::vector<bool>> weightsIn(std::string part,
                                           const std::vector<NamedWeight>& weights,
                                           std::int64_t layers) {
    constexpr std::string_view kOfPeft = "base_model.model.";
    part.erase(0, part.starts_with(kOfPeft) ? kOfPeft.size() : 0);
    const std::size_t open = std::min(part.find('['), part.size());
    const std::size_t close = std::min(part.find(']', open), part.size());
    const std::string before = part.substr(0, open);
    std::string behind = open == part.size() ? "" : part.substr(close + 1);
    std::pair<std::int64_t, std::int64_t> range{0, layers};
    if (open < part.size()) {
        const auto said = layersIn(part.substr(open + 1, close - open - 1), layers);
        if (!said || before != "model.layers") {
            return std::nullopt;
        }
        range = *said;
    }
    behind.erase(0, behind.starts_with('.') ? 1 : 0);
    std::vector<bool> is;
    for (const NamedWeight& weight : weights) {
        const bool isIn =
            before.empty() || weight.name == before || weight.name.starts_with(before + ".");
        const std::size_t layer =
            before.size() + 1 + std::to_string(std::max(weight.layer, std::int64_t{0})).size() + 1;
        const bool isOfLayer =
            open == part.size() ||
            (weight.layer >= range.first && weight.layer < range.second &&
             (behind.empty() || weight.name.substr(std::min(layer, weight.name.size())) == behind ||
              weight.name.substr(std::min(layer, weight.name.size())).starts_with(behind + ".")));
        is.push_back(isIn && isOfLayer);
    }
    const bool isAny = std::ranges::find(is, true) != is.end();
    return isAny ? std::optional(std::move(is)) : std::nullopt;
}

/// The smallest part that has all these weights.
SwitchedWeights smallestPart(const std::vector<NamedWeight>& weights,
                             const std::vector<bool>& are,
                             std::int64_t layers) {
    std::int64_t first = layers - 1;
    SwitchedWeights switched;
    bool isTable = false;
    for (std::size_t i = 0; i < weights.size(); ++i) {
        first = are[i] && weights[i].layer >= 0 ? std::min(first, weights[i].layer) : first;
        isTable = isTable || (are[i] && weights[i].name == kTable);
        switched.hasHeadAlone = switched.hasHeadAlone || (are[i] && weights[i].name == kHead);
    }
    switched.hasHeadAlone = switched.hasHeadAlone && !isTable;
    if (std::ranges::find(are, true) == are.end()) {
        return switched;
    }
    for (const TrainedPart& part : {TrainedPart{Kind::Norms},
                                    TrainedPart{Kind::Last, layers - first},
                                    TrainedPart{Kind::NoEmbedding},
                                    TrainedPart{Kind::All}}) {
        bool hasAll = true;
        bool isLess = false;
        for (std::size_t i = 0; i < weights.size(); ++i) {
            const bool is = isTrained(part, weights[i], layers);
            hasAll = hasAll && (is || !are[i]);
            isLess = isLess || (is && !are[i]);
        }
        const bool isWhole = part.kind == Kind::Last && part.layers == layers;  // no_embedding
        if (hasAll && !isWhole) {
            switched.part = part;
            switched.isLess = isLess;
            return switched;
        }
    }
    return switched;
}

}  // namespace

std::optional<SwitchedWeights> switchedWeights(std::span<const WeightSwitch> switches,
                                               bool areAll,
                                               std::int64_t layers) {
    const std::vector<NamedWeight> weights = weightsOf(layers);
    std::vector<bool> are(weights.size(), areAll);
    for (const WeightSwitch& one : switches) {
        const auto in = weightsIn(one.part, weights, layers);
        if (!in) {
            return std::nullopt;
        }
        for (std::size_t i = 0; i < weights.size(); ++i) {
            if ((*in)[i] && meets(weights[i].name, one.asked)) {
                are[i] = meets(weights[i].name, one.trains);
            }
        }
    }
    return smallestPart(weights, are, layers);
}

std::vector<std::string> unfrozenPatterns(const TrainedPart& part, std::int64_t layers) {
    if (part.kind == Kind::NoEmbedding) {
        return {"^model.layers.", "^model.norm", "^lm_head"};
    }
    if (part.kind == Kind::Norms) {
        return {"^model.layers.[0-9]+.(input_layernorm|post_attention_layernorm)",
                "^model.layers.[0-9]+.self_attn.(q_norm|k_norm)",
                "^model.norm"};
    }
    constexpr std::int64_t kOfPattern = 16;  // long ones are hard to read
    std::vector<std::string> patterns;
    for (std::int64_t first = layers - part.layers; first < layers; first += kOfPattern) {
        std::string numbers;
        for (std::int64_t layer = first; layer < std::min(first + kOfPattern, layers); ++layer) {
            numbers += (numbers.empty() ? "" : "|") + std::to_string(layer);
        }
        patterns.push_back("^model.layers.(" + numbers + ").");
    }
    patterns.insert(patterns.end(), {"^model.norm", "^lm_head"});
    return patterns;
}

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
