#include "planner/io/hf_gpt.h"

namespace fabricast {

/// OPT's position table has two rows more than positions, and OPT-350M has tables narrower than the
/// model, with a projection on either side.
Result<ModelSpec> readOpt(const HfReader& config) {
    ModelSpec model;
    FABRICAST_ASSIGN(model.vocab, config.size({"vocab_size"}, 50272));
    FABRICAST_ASSIGN(model.hidden, config.size({"hidden_size"}, 768));
    FABRICAST_ASSIGN(model.layers, config.size({"num_hidden_layers"}, 12));
    FABRICAST_ASSIGN(const std::int64_t heads, config.size({"num_attention_heads"}, 12));
    FABRICAST_ASSIGN(const bool bias, config.flag("enable_bias", true));
    FABRICAST_ASSIGN(model.attention, multiHeadAttention(config, model, heads));
    model.attention.fusedQkv = false;
    model.attention.qkvBias = bias;
    model.attention.outBias = bias;
    model.mlp = {.kind = MlpKind::Plain, .bias = bias};
    FABRICAST_ASSIGN(model.mlp.width, config.size({"ffn_dim"}, 3072));

    FABRICAST_ASSIGN(const bool affine, config.flag("layer_norm_elementwise_affine", true));
    FABRICAST_ASSIGN(const bool before, config.flag("do_layer_norm_before", true));
    FABRICAST_ASSIGN(const bool removed, config.flag("_remove_final_layer_norm", false));
    model.norm = affine ? NormKind::Layer : NormKind::LayerNoParameters;
    model.normPlacement = before ? NormPlacement::Before : NormPlacement::After;
    model.normOrder = NormOrder::AfterEach;
    model.finalNorm = before && !removed;

    FABRICAST_ASSIGN(model.maxPositions, config.size({"max_position_embeddings"}, 2048));
    model.position = PositionKind::Learned;
    model.learnedPositions = model.maxPositions + 2;
    FABRICAST_ASSIGN(model.embeddingWidth, config.sizeOrNull({"word_embed_proj_dim"}, 0, 0));
    FABRICAST_ASSIGN(model.tiedEmbeddings, config.tied(true));
    return model;
}

}  // namespace fabricast
