#include "planner/models/hf_checks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 4> kExpertKeys = {
    "num_experts", "num_local_experts", "n_routed_experts", "moe_intermediate_size"};
constexpr std::array<std::string_view, 4> kWidthKeys = {
    "hidden_size", "n_embd", "n_embed", "d_model"};

const JsonValue* said(const JsonValue& config, std::string_view key) {
    const JsonValue* value = config.find(key);
    return value == nullptr || value->is(JsonValue::Kind::Null) ? nullptr : value;
}

/// What a checkpoint's weights are quantised by: "awq", "fp8"; may be empty.
std::string methodOf(const JsonValue& quantization) {
    const JsonValue* method = quantization.find("quant_method");
    return method == nullptr ? "" : method->text().value_or("");
}

/// The share of a head's width that turns, and where it is said; nullptr: the default of a family.
const JsonValue* turningShare(const JsonValue& config) {
    for (const std::string_view key : {"partial_rotary_factor", "rotary_pct"}) {
        if (const JsonValue* value = said(config, key)) {
            return value;
        }
    }
    const JsonValue* rotation = said(config, "rope_parameters");
    return rotation == nullptr ? nullptr : said(*rotation, "partial_rotary_factor");
}

/// The key that a head's width comes from.
const JsonValue& headWidthKey(const JsonValue& config) {
    for (const std::string_view key : {"qk_rope_head_dim", "head_dim", "num_attention_heads"}) {
        if (const JsonValue* value = said(config, key)) {
            return *value;
        }
    }
    return config;
}

}  // namespace

Result<void> checkTurning(const JsonValue& config, const ModelSpec& model) {
    if (model.position != PositionKind::Rope) {
        return {};
    }
    const AttentionSpec& attention = model.attention;
    const bool latent = attention.kind == AttentionKind::Latent;
    std::int64_t width = latent ? attention.qkRopeDim : attention.headDim;
    const JsonValue* key = &headWidthKey(config);
    if (const JsonValue* share = latent ? nullptr : turningShare(config)) {
        FABRICAST_ASSIGN(const double part, share->number(0.0, 1.0));
        width = static_cast<std::int64_t>(static_cast<double>(width) * part);
        key = share;
    }
    if (width % 2 == 0) {
        return {};
    }
    return tl::unexpected(key->problem(
        "makes " + std::to_string(width) + " columns of a head turn, which are turned in pairs",
        "an even number of them: " + std::to_string(width + 1)));
}

std::vector<std::string> leftOutOf(const JsonValue& config, const ModelSpec& model) {
    std::vector<std::string> notes;
    if (const JsonValue* quantization = said(config, "quantization_config")) {
        const std::string method = methodOf(*quantization);
        notes.push_back("quantization_config" + (method.empty() ? "" : " (" + method + ")") +
                        " is left out: weights have the precision of the training");
    }
    for (const std::string_view key : kExpertKeys) {
        if (!model.moe && said(config, key) != nullptr) {
            notes.push_back(std::string(key) + " is left out: this family has no experts");
        }
    }
    if (std::ranges::none_of(
            kWidthKeys, [&config](std::string_view key) { return said(config, key) != nullptr; })) {
        notes.push_back("no hidden_size: " + std::to_string(model.hidden) +
                        ", the default of transformers");
    }
    return notes;
}

}  // namespace fabricast
