#include "planner/models/model_file.h"
#include "planner/spec/check_settings.h"
#include "planner/text/enum_json.h"

#include <array>

namespace fabricast {

namespace {

constexpr JsonValue::Range kShapeSize{.least = 1, .most = kMostModelWidth};
constexpr JsonValue::Range kShapeCount{.least = 0, .most = kMostModelWidth};
constexpr Choices<MlpKind, 2> kMlpNames{{{"gated", MlpKind::Gated}, {"plain", MlpKind::Plain}}};

constexpr std::array<std::string_view, 15> kAttentionKeys{"kind",
                                                          "heads",
                                                          "kv_heads",
                                                          "head_dim",
                                                          "qkv_bias",
                                                          "out_bias",
                                                          "qk_norm",
                                                          "sinks",
                                                          "scaled_rotary",
                                                          "q_lora_rank",
                                                          "kv_lora_rank",
                                                          "qk_nope_head_dim",
                                                          "qk_rope_head_dim",
                                                          "v_head_dim",
                                                          "latent_bias"};
constexpr Choices<AttentionKind, 2> kAttentionNames{
    {{"grouped", AttentionKind::Grouped}, {"latent", AttentionKind::Latent}}};
constexpr Choices<QkNorm, 3> kQkNormNames{
    {{"none", QkNorm::None}, {"per_head", QkNorm::PerHead}, {"full_width", QkNorm::FullWidth}}};

Result<AttentionSpec> readGrouped(AttentionSpec attention,
                                  const JsonValue& said,
                                  std::int64_t hidden) {
    FABRICAST_ASSIGN(attention.kvHeads, said.integerOr("kv_heads", attention.heads, kShapeSize));
    if (said.find("head_dim") == nullptr && hidden % attention.heads != 0) {
        return tl::unexpected(said.problem("divides a hidden size of " + std::to_string(hidden) +
                                               " into " + std::to_string(attention.heads) +
                                               " heads unevenly",
                                           "set \"head_dim\""));
    }
    FABRICAST_ASSIGN(attention.headDim,
                     said.integerOr("head_dim", hidden / attention.heads, kShapeSize));
    FABRICAST_ASSIGN(attention.qkvBias, said.booleanOr("qkv_bias", false));
    FABRICAST_ASSIGN(attention.outBias, said.booleanOr("out_bias", false));
    FABRICAST_ASSIGN(attention.qkNorm, readChoice(said, "qk_norm", kQkNormNames, QkNorm::None));
    FABRICAST_ASSIGN(attention.sinks, said.booleanOr("sinks", false));
    FABRICAST_ASSIGN(attention.scaledRotary, said.booleanOr("scaled_rotary", false));
    return attention;
}

Result<AttentionSpec> readLatent(AttentionSpec attention, const JsonValue& said) {
    FABRICAST_ASSIGN(attention.qLoraRank, said.integerOr("q_lora_rank", 0, kShapeCount));
    FABRICAST_ASSIGN(attention.kvLoraRank, said.integerOr("kv_lora_rank", 512, kShapeSize));
    FABRICAST_ASSIGN(attention.qkNopeDim, said.integerOr("qk_nope_head_dim", 128, kShapeCount));
    FABRICAST_ASSIGN(attention.qkRopeDim, said.integerOr("qk_rope_head_dim", 64, kShapeCount));
    FABRICAST_ASSIGN(attention.vHeadDim, said.integerOr("v_head_dim", 128, kShapeSize));
    FABRICAST_ASSIGN(attention.latentBias, said.booleanOr("latent_bias", false));
    attention.kvHeads = attention.heads;
    attention.headDim = attention.qkNopeDim + attention.qkRopeDim;
    return attention;
}

Result<AttentionSpec> readAttentionShape(const JsonValue& attention, std::int64_t hidden) {
    FABRICAST_TRY(attention.onlyKeys(kAttentionKeys));
    AttentionSpec spec;
    FABRICAST_ASSIGN(spec.kind,
                     readChoice(attention, "kind", kAttentionNames, AttentionKind::Grouped));
    FABRICAST_ASSIGN(const JsonValue* heads, attention.require("heads"));
    FABRICAST_ASSIGN(spec.heads, heads->integer(kShapeSize));
    return spec.kind == AttentionKind::Latent ? readLatent(spec, attention)
                                              : readGrouped(spec, attention, hidden);
}

constexpr std::array<std::string_view, 15> kMoeKeys{"experts",
                                                    "top_k",
                                                    "expert_width",
                                                    "kind",
                                                    "expert_bias",
                                                    "router_bias",
                                                    "correction_bias",
                                                    "shared_width",
                                                    "shared_gate",
                                                    "residual",
                                                    "sigmoid_score",
                                                    "clamped_glu",
                                                    "first_layer",
                                                    "every",
                                                    "layers"};

Result<std::vector<bool>> listedLayers(const JsonValue& list, std::int64_t layers) {
    FABRICAST_TRY(list.expect(JsonValue::Kind::Array));
    std::vector<bool> sparse(static_cast<std::size_t>(layers), false);
    for (const JsonValue& item : list.items()) {
        FABRICAST_ASSIGN(const std::int64_t layer, item.integer({.least = 0, .most = layers - 1}));
        sparse[static_cast<std::size_t>(layer)] = true;
    }
    return sparse;
}

Result<MoeSpec> readMoeShape(const JsonValue& moe) {
    FABRICAST_TRY(moe.onlyKeys(kMoeKeys));
    MoeSpec spec;
    FABRICAST_ASSIGN(const JsonValue* experts, moe.require("experts"));
    FABRICAST_ASSIGN(spec.experts, experts->integer(kShapeSize));
    FABRICAST_ASSIGN(const JsonValue* topK, moe.require("top_k"));
    FABRICAST_ASSIGN(spec.topK, topK->integer(kShapeSize));
    FABRICAST_ASSIGN(const JsonValue* width, moe.require("expert_width"));
    FABRICAST_ASSIGN(spec.expertWidth, width->integer(kShapeSize));
    FABRICAST_ASSIGN(spec.kind, readChoice(moe, "kind", kMlpNames, MlpKind::Gated));
    FABRICAST_ASSIGN(spec.expertBias, moe.booleanOr("expert_bias", false));
    FABRICAST_ASSIGN(spec.routerBias, moe.booleanOr("router_bias", false));
    FABRICAST_ASSIGN(spec.correctionBias, moe.booleanOr("correction_bias", false));
    FABRICAST_ASSIGN(spec.sharedWidth, moe.integerOr("shared_width", 0, kShapeCount));
    FABRICAST_ASSIGN(spec.sharedGate, moe.booleanOr("shared_gate", false));
    FABRICAST_ASSIGN(spec.residual, moe.booleanOr("residual", false));
    FABRICAST_ASSIGN(spec.sigmoidScore, moe.booleanOr("sigmoid_score", false));
    FABRICAST_ASSIGN(spec.clampedGlu, moe.booleanOr("clamped_glu", false));
    return spec;
}

/// "layers": [1, 3, 5], or every n-th layer counted back from the last of each group ("every": 2 is
/// layers 1, 3, 5, ...), none before "first_layer".
Result<std::vector<bool>> readSparseLayers(const JsonValue& moe, std::int64_t layers) {
    if (const JsonValue* list = moe.find("layers")) {
        return listedLayers(*list, layers);
    }
    FABRICAST_ASSIGN(const std::int64_t first, moe.integerOr("first_layer", 0, kShapeCount));
    FABRICAST_ASSIGN(const std::int64_t step, moe.integerOr("every", 1, kShapeSize));
    std::vector<bool> sparse;
    for (std::int64_t layer = 0; layer < layers; ++layer) {
        sparse.push_back(layer >= first && (layer + 1) % step == 0);
    }
    return sparse;
}

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

Result<std::int64_t> requiredSize(const JsonValue& object,
                                  std::string_view key,
                                  JsonValue::Range range = kShapeSize) {
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
    FABRICAST_ASSIGN(model.maxPositions, shape.integerOr("positions", 0, kShapeCount));
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
        FABRICAST_ASSIGN(const std::int64_t size, said->integer(kShapeCount));
        return std::vector<std::int64_t>(static_cast<std::size_t>(layers), size);
    }
    std::vector<std::int64_t> windows;
    for (const JsonValue& item : said->items()) {
        FABRICAST_ASSIGN(const std::int64_t size, item.integer(kShapeCount));
        windows.push_back(size);
    }
    return windows;
}

Result<void> readHeadAndTables(ModelSpec& model, const JsonValue& shape) {
    FABRICAST_ASSIGN(model.tiedEmbeddings, shape.booleanOr("tied_embeddings", false));
    FABRICAST_ASSIGN(model.headBias, shape.booleanOr("head_bias", false));
    FABRICAST_ASSIGN(model.embeddingWidth, shape.integerOr("embedding_width", 0, kShapeCount));
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
