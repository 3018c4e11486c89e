#include "planner/models/hf_config.h"

#include <algorithm>
#include <array>

namespace fabricast {

namespace {

/// Multi-head attention over `hidden` with one head_dim for all; hidden must divide by heads.
Result<AttentionSpec> multiHeadAttention(const HfReader& config,
                                         const ModelSpec& model,
                                         std::int64_t heads) {
    if (model.hidden % heads != 0) {
        return tl::unexpected(config.problem({"n_head",
                                              "n_heads",
                                              "num_attention_heads",
                                              "n_embd",
                                              "n_embed",
                                              "d_model",
                                              "hidden_size"},
                                             "divides a hidden size of " +
                                                 std::to_string(model.hidden) + " into " +
                                                 std::to_string(heads) + " heads unevenly",
                                             "a number of heads that divides the hidden size"));
    }
    return AttentionSpec{
        .heads = heads, .kvHeads = heads, .headDim = model.hidden / heads, .fusedQkv = true};
}

/// LayerNorm with biases, plain MLP, one fused qkv matrix: what these families share.
ModelSpec gptLike() {
    ModelSpec model;
    model.norm = NormKind::Layer;
    model.normOrder = NormOrder::BeforeEach;
    model.mlp = {.kind = MlpKind::Plain, .bias = true};
    return model;
}

/// What absent keys mean.
struct Defaults {
    std::int64_t vocab;
    std::int64_t hidden;
    std::int64_t layers;
};

Result<void> readSizes(ModelSpec& model,
                       const HfReader& config,
                       HfReader::Names hidden,
                       HfReader::Names layers,
                       Defaults absent) {
    FABRICAST_ASSIGN(model.vocab, config.size({"vocab_size"}, absent.vocab));
    FABRICAST_ASSIGN(model.hidden, config.size(hidden, absent.hidden));
    FABRICAST_ASSIGN(model.layers, config.size(layers, absent.layers));
    return {};
}

Result<ModelSpec> readGpt2(const HfReader& config) {
    ModelSpec model = gptLike();
    FABRICAST_TRY(readSizes(model,
                            config,
                            {"n_embd", "hidden_size"},
                            {"n_layer", "num_hidden_layers"},
                            {.vocab = 50257, .hidden = 768, .layers = 12}));
    FABRICAST_ASSIGN(const std::int64_t heads, config.size({"n_head", "num_attention_heads"}, 12));
    FABRICAST_ASSIGN(model.attention, multiHeadAttention(config, model, heads));
    model.attention.qkvBias = true;
    model.attention.outBias = true;
    FABRICAST_ASSIGN(const std::int64_t inner, config.sizeOrNull({"n_inner"}, 0, 0));
    model.mlp.width = inner == 0 ? 4 * model.hidden : inner;
    FABRICAST_ASSIGN(const double dropped, config.config().numberOr("resid_pdrop", 0.1, 0.0, 1.0));
    model.dropsResiduals = dropped > 0.0;
    model.position = PositionKind::Learned;
    FABRICAST_ASSIGN(model.learnedPositions,
                     config.size({"n_positions", "max_position_embeddings"}, 1024));
    model.maxPositions = model.learnedPositions;
    FABRICAST_ASSIGN(model.tiedEmbeddings, config.tied(true));
    FABRICAST_ASSIGN(const bool crossAttention, config.flag("add_cross_attention", false));
    if (crossAttention) {
        Error error = config.problem({"add_cross_attention"},
                                     "true is not supported",
                                     "only decoder-only models are supported");
        error.code = Error::Code::Unsupported;
        return tl::unexpected(std::move(error));
    }
    return model;
}

Result<ModelSpec> readGptNeox(const HfReader& config) {
    ModelSpec model = gptLike();
    FABRICAST_TRY(readSizes(model,
                            config,
                            {"hidden_size"},
                            {"num_hidden_layers"},
                            {.vocab = 50432, .hidden = 6144, .layers = 44}));
    FABRICAST_ASSIGN(const std::int64_t heads, config.size({"num_attention_heads"}, 64));
    FABRICAST_ASSIGN(model.attention, multiHeadAttention(config, model, heads));
    FABRICAST_ASSIGN(const bool bias, config.flag("attention_bias", true));
    model.attention.qkvBias = bias;
    model.attention.outBias = bias;
    FABRICAST_ASSIGN(model.mlp.width, config.size({"intermediate_size"}, 24576));
    FABRICAST_ASSIGN(model.parallelResidual, config.flag("use_parallel_residual", true));
    FABRICAST_ASSIGN(model.maxPositions, config.size({"max_position_embeddings"}, 2048));
    FABRICAST_ASSIGN(model.tiedEmbeddings, config.tied(false));
    model.normOrder = NormOrder::First;
    return model;
}

/// BLOOM's MLP is always 4h; one more norm follows the embedding.
Result<ModelSpec> readBloom(const HfReader& config) {
    ModelSpec model = gptLike();
    FABRICAST_TRY(readSizes(model,
                            config,
                            {"n_embed", "hidden_size"},
                            {"n_layer", "num_hidden_layers"},
                            {.vocab = 250880, .hidden = 64, .layers = 2}));
    FABRICAST_ASSIGN(const std::int64_t heads, config.size({"n_head", "num_attention_heads"}, 8));
    FABRICAST_ASSIGN(model.attention, multiHeadAttention(config, model, heads));
    model.attention.qkvBias = true;
    model.attention.outBias = true;
    model.mlp.width = 4 * model.hidden;
    model.position = PositionKind::Alibi;
    model.embeddingNorm = true;
    FABRICAST_ASSIGN(model.maxPositions, config.size({"seq_length"}, 2048));
    FABRICAST_ASSIGN(model.tiedEmbeddings, config.tied(true));
    return model;
}

/// The class reads neither expansion_ratio (always 4), no_bias, learned_pos_emb nor attn_config.
Result<ModelSpec> readMpt(const HfReader& config) {
    ModelSpec model = gptLike();
    FABRICAST_TRY(readSizes(model,
                            config,
                            {"d_model", "hidden_size"},
                            {"n_layers", "num_hidden_layers"},
                            {.vocab = 50368, .hidden = 2048, .layers = 24}));
    FABRICAST_ASSIGN(const std::int64_t heads, config.size({"n_heads", "num_attention_heads"}, 16));
    FABRICAST_ASSIGN(model.attention, multiHeadAttention(config, model, heads));
    model.mlp = {.kind = MlpKind::Plain, .width = 4 * model.hidden};
    model.norm = NormKind::LayerNoBias;
    model.position = PositionKind::Alibi;
    FABRICAST_ASSIGN(model.maxPositions, config.size({"max_seq_len"}, 2048));
    FABRICAST_ASSIGN(model.tiedEmbeddings, config.tied(true));
    return model;
}

struct FalconOptions {
    bool newDecoder = false;
    bool multiQuery = true;
    bool parallel = true;
    bool bias = false;
    bool alibi = false;
};

Result<FalconOptions> readOptions(const HfReader& config) {
    FalconOptions options;
    FABRICAST_ASSIGN(options.newDecoder, config.flag("new_decoder_architecture", false));
    FABRICAST_ASSIGN(options.multiQuery, config.flag("multi_query", true));
    FABRICAST_ASSIGN(options.parallel, config.flag("parallel_attn", true));
    FABRICAST_ASSIGN(options.bias, config.flag("bias", false));
    FABRICAST_ASSIGN(options.alibi, config.flag("alibi", false));
    return options;
}

/// The new architecture has num_kv_heads (absent: as many as heads), multi-query one, whatever
/// num_kv_heads; else all.
Result<std::int64_t> kvHeads(const HfReader& config,
                             const FalconOptions& options,
                             std::int64_t heads) {
    if (!options.newDecoder) {
        return options.multiQuery ? 1 : heads;
    }
    FABRICAST_ASSIGN(const std::int64_t said, config.sizeOrNull({"num_kv_heads"}, 0, 0));
    return said == 0 ? heads : said;
}

Result<std::int64_t> normsPerLayer(const HfReader& config, const FalconOptions& options) {
    if (!options.parallel) {
        return 2;
    }
    const std::int64_t unsaid = options.newDecoder ? 2 : 1;
    FABRICAST_ASSIGN(const std::int64_t said,
                     config.countOrNull({"num_ln_in_parallel_attn"}, unsaid, unsaid));
    return said == 2 ? 2 : 1;
}

Result<ModelSpec> readFalcon(const HfReader& config) {
    ModelSpec model;
    FABRICAST_ASSIGN(model.vocab, config.size({"vocab_size"}, 65024));
    FABRICAST_ASSIGN(model.hidden, config.size({"n_embed", "hidden_size"}, 4544));
    FABRICAST_ASSIGN(model.layers, config.size({"num_hidden_layers"}, 32));
    FABRICAST_ASSIGN(const std::int64_t heads, config.size({"num_attention_heads"}, 71));
    FABRICAST_ASSIGN(const FalconOptions options, readOptions(config));
    FABRICAST_ASSIGN(model.attention, multiHeadAttention(config, model, heads));
    FABRICAST_ASSIGN(model.attention.kvHeads, kvHeads(config, options, heads));
    model.attention.qkvBias = options.bias;
    model.attention.outBias = options.bias;
    FABRICAST_ASSIGN(const std::int64_t width, config.sizeOrNull({"ffn_hidden_size"}, 0, 0));
    model.mlp = {.kind = MlpKind::Plain,
                 .width = width == 0 ? 4 * model.hidden : width,
                 .bias = options.bias};
    model.norm = NormKind::Layer;
    FABRICAST_ASSIGN(model.normsPerLayer, normsPerLayer(config, options));
    model.parallelResidual = options.parallel;
    model.position = options.alibi ? PositionKind::Alibi : PositionKind::Rope;
    FABRICAST_ASSIGN(model.maxPositions, config.size({"max_position_embeddings"}, 2048));
    FABRICAST_ASSIGN(model.tiedEmbeddings, config.tied(true));
    return model;
}

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

}  // namespace

std::span<const HfFamily> hfGptFamilies() {
    static constexpr std::array kGptFamilies{
        HfFamily{"gpt2", "GPT2LMHeadModel", nullptr, readGpt2},
        HfFamily{"gpt_neox", "GPTNeoXForCausalLM", nullptr, readGptNeox},
        HfFamily{"falcon", "FalconForCausalLM", nullptr, readFalcon},
        HfFamily{"opt", "OPTForCausalLM", nullptr, readOpt},
        HfFamily{"bloom", "BloomForCausalLM", nullptr, readBloom},
        HfFamily{"mpt", "MptForCausalLM", nullptr, readMpt}};
    return kGptFamilies;
}

}  // namespace fabricast
