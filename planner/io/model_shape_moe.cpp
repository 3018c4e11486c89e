#include "planner/io/json_choice.h"
#include "planner/io/model_shape.h"
#include "planner/spec/check_model.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 13> kMoeKeys{"experts",
                                                    "top_k",
                                                    "expert_width",
                                                    "kind",
                                                    "expert_bias",
                                                    "router_bias",
                                                    "correction_bias",
                                                    "shared_width",
                                                    "shared_gate",
                                                    "sigmoid_score",
                                                    "first_layer",
                                                    "every",
                                                    "layers"};
constexpr Choices<MlpKind, 2> kMlpNames{{{"gated", MlpKind::Gated}, {"plain", MlpKind::Plain}}};

constexpr JsonValue::Range kSize{.least = 1, .most = kMostModelWidth};
constexpr JsonValue::Range kCount{.least = 0, .most = kMostModelWidth};

Result<std::vector<bool>> listedLayers(const JsonValue& list, std::int64_t layers) {
    FABRICAST_TRY(list.expect(JsonValue::Kind::Array));
    std::vector<bool> sparse(static_cast<std::size_t>(layers), false);
    for (const JsonValue& item : list.items()) {
        FABRICAST_ASSIGN(const std::int64_t layer, item.integer({.least = 0, .most = layers - 1}));
        sparse[static_cast<std::size_t>(layer)] = true;
    }
    return sparse;
}

}  // namespace

Result<MoeSpec> readMoeShape(const JsonValue& moe) {
    FABRICAST_TRY(moe.onlyKeys(kMoeKeys));
    MoeSpec spec;
    FABRICAST_ASSIGN(const JsonValue* experts, moe.require("experts"));
    FABRICAST_ASSIGN(spec.experts, experts->integer(kSize));
    FABRICAST_ASSIGN(const JsonValue* topK, moe.require("top_k"));
    FABRICAST_ASSIGN(spec.topK, topK->integer(kSize));
    FABRICAST_ASSIGN(const JsonValue* width, moe.require("expert_width"));
    FABRICAST_ASSIGN(spec.expertWidth, width->integer(kSize));
    FABRICAST_ASSIGN(spec.kind, readChoice(moe, "kind", kMlpNames, MlpKind::Gated));
    FABRICAST_ASSIGN(spec.expertBias, moe.booleanOr("expert_bias", false));
    FABRICAST_ASSIGN(spec.routerBias, moe.booleanOr("router_bias", false));
    FABRICAST_ASSIGN(spec.correctionBias, moe.booleanOr("correction_bias", false));
    FABRICAST_ASSIGN(spec.sharedWidth, moe.integerOr("shared_width", 0, kCount));
    FABRICAST_ASSIGN(spec.sharedGate, moe.booleanOr("shared_gate", false));
    FABRICAST_ASSIGN(spec.sigmoidScore, moe.booleanOr("sigmoid_score", false));
    return spec;
}

/// "layers": [1, 3, 5], or every n-th layer counted back from the last of each group ("every": 2 is
/// layers 1, 3, 5, ...), none before "first_layer".
Result<std::vector<bool>> readSparseLayers(const JsonValue& moe, std::int64_t layers) {
    if (const JsonValue* list = moe.find("layers")) {
        return listedLayers(*list, layers);
    }
    FABRICAST_ASSIGN(const std::int64_t first, moe.integerOr("first_layer", 0, kCount));
    FABRICAST_ASSIGN(const std::int64_t step, moe.integerOr("every", 1, kSize));
    std::vector<bool> sparse;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        sparse.push_back(layer >= first && (layer + 1) % step == 0);
    }
    return sparse;
}

}  // namespace fabricast
