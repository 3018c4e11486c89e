#include "planner/io/model_shape.h"

#include "planner/io/json_choice.h"
#include "planner/spec/check_model.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array<std::string_view, 20> kShapeKeys{"layers",
                                                      "hidden",
                                                      "vocab",
                                                      "positions",
                                                      "position_encoding",
                                                      "attention",
                                                      "mlp",
                                                      "moe",
                                                      "norm",
                                                      "norms_per_layer",
                                                      "norm_placement",
                                                      "final_norm",
                                                      "embedding_norm",
                                                      "parallel_residual",
                                                      "tied_embeddings",
                                                      "head_bias",
                                                      "embedding_width",
                                                      "mtp_layers",
                                                      "window",
                                                      "family"};
constexpr std::array<std::string_view, 3> kMlpKeys{"kind", "width", "bias"};

constexpr Choices<PositionKind, 3> kPositionNames{{{"rope", PositionKind::Rope},
                                                   {"learned", PositionKind::Learned},
                                                   {"alibi", PositionKind::Alibi}}};
constexpr Choices<NormKind, 4> kNormNames{{{"rms", NormKind::Rms},
                                           {"layer", NormKind::Layer},
                                           {"layer_no_bias", NormKind::LayerNoBias},
                                           {"layer_no_parameters", NormKind::LayerNoParameters}}};
constexpr Choices<NormPlacement, 3> kPlacementNames{{{"before", NormPlacement::Before},
                                                     {"after", NormPlacement::After},
                                                     {"around", NormPlacement::Around}}};
constexpr Choices<MlpKind, 2> kMlpNames{{{"gated", MlpKind::Gated}, {"plain", MlpKind::Plain}}};

constexpr JsonValue::Range kSize{.least = 1, .most = kMostModelWidth};
constexpr JsonValue::Range kCount{.least = 0, .most = kMostModelWidth};

Result<std::int64_t> requiredSize(const JsonValue& object,
                                  std::string_view key,
                                  JsonValue::Range range = kSize) {
    FABRICAST_ASSIGN(const JsonValue* value, object.require(key));
    return value->integer(range);
}

Result<MlpSpec> readMlpShape(const JsonValue& shape) {
    const JsonValue* said = shape.find("mlp");
    if (said == nullptr) {
        return MlpSpec{};  // every layer has experts; checkModel refuses it otherwise
    }
    FABRICAST_TRY(said->onlyKeys(kMlpKeys));
    MlpSpec mlp;
    FABRICAST_ASSIGN(mlp.kind, readChoice(*said, "kind", kMlpNames, MlpKind::Gated));
    FABRICAST_ASSIGN(mlp.width, requiredSize(*said, "width"));
    FABRICAST_ASSIGN(mlp.bias, said->booleanOr("bias", false));
    return mlp;
}

Result<void> readPositions(ModelSpec& model, const JsonValue& shape) {
    FABRICAST_ASSIGN(model.maxPositions, shape.integerOr("positions", 0, kCount));
    FABRICAST_ASSIGN(model.position,
                     readChoice(shape, "position_encoding", kPositionNames, PositionKind::Rope));
    if (model.position == PositionKind::Learned) {
        FABRICAST_ASSIGN(model.learnedPositions, requiredSize(shape, "positions"));
    }
    return {};
}

Result<void> readNorms(ModelSpec& model, const JsonValue& shape) {
    FABRICAST_ASSIGN(model.norm, readChoice(shape, "norm", kNormNames, NormKind::Rms));
    FABRICAST_ASSIGN(model.normPlacement,
                     readChoice(shape, "norm_placement", kPlacementNames, NormPlacement::Before));
    const bool around = model.normPlacement == NormPlacement::Around;
    FABRICAST_ASSIGN(model.normsPerLayer,
                     shape.integerOr("norms_per_layer", around ? 4 : 2, {.least = 1, .most = 4}));
    FABRICAST_ASSIGN(model.finalNorm, shape.booleanOr("final_norm", true));
    FABRICAST_ASSIGN(model.embeddingNorm, shape.booleanOr("embedding_norm", false));
    return {};
}

/// One number for all layers, or a list with one for each; 0 is full attention.
Result<std::vector<std::int64_t>> readWindow(const JsonValue& shape, std::int64_t layers) {
    const JsonValue* said = shape.find("window");
    if (said == nullptr) {
        return std::vector<std::int64_t>{};
    }
    if (!said->is(JsonValue::Kind::Array)) {
        FABRICAST_ASSIGN(const std::int64_t size, said->integer(kCount));
        return std::vector<std::int64_t>(static_cast<std::size_t>(layers), size);
    }
    std::vector<std::int64_t> windows;
    for (const JsonValue& item : said->items()) {
        FABRICAST_ASSIGN(const std::int64_t size, item.integer(kCount));
        windows.push_back(size);
    }
    return windows;
}

Result<void> readHeadAndTables(ModelSpec& model, const JsonValue& shape) {
    FABRICAST_ASSIGN(model.tiedEmbeddings, shape.booleanOr("tied_embeddings", false));
    FABRICAST_ASSIGN(model.headBias, shape.booleanOr("head_bias", false));
    FABRICAST_ASSIGN(model.embeddingWidth, shape.integerOr("embedding_width", 0, kCount));
    FABRICAST_ASSIGN(model.parallelResidual, shape.booleanOr("parallel_residual", false));
    FABRICAST_ASSIGN(model.mtpDepth,
                     shape.integerOr("mtp_layers", 0, {.least = 0, .most = kMostModelLayers}));
    return {};
}

}  // namespace

Result<ModelSpec> readModelShape(const JsonValue& shape) {
    FABRICAST_TRY(shape.onlyKeys(kShapeKeys));
    ModelSpec model;
    FABRICAST_ASSIGN(model.family, shape.textOr("family", "custom"));
    FABRICAST_ASSIGN(model.layers,
                     requiredSize(shape, "layers", {.least = 1, .most = kMostModelLayers}));
    FABRICAST_ASSIGN(model.hidden, requiredSize(shape, "hidden"));
    FABRICAST_ASSIGN(model.vocab, requiredSize(shape, "vocab"));
    FABRICAST_ASSIGN(const JsonValue* attention, shape.require("attention"));
    FABRICAST_ASSIGN(model.attention, readAttentionShape(*attention, model.hidden));
    FABRICAST_ASSIGN(model.mlp, readMlpShape(shape));
    if (const JsonValue* moe = shape.find("moe")) {
        FABRICAST_ASSIGN(model.moe, readMoeShape(*moe));
        FABRICAST_ASSIGN(model.sparse, readSparseLayers(*moe, model.layers));
    }
    FABRICAST_TRY(readPositions(model, shape));
    FABRICAST_TRY(readNorms(model, shape));
    FABRICAST_TRY(readHeadAndTables(model, shape));
    FABRICAST_ASSIGN(model.window, readWindow(shape, model.layers));
    FABRICAST_TRY(checkModel(model, shape.where()));
    return model;
}

}  // namespace fabricast
