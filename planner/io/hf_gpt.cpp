#include "planner/io/hf_gpt.h"

#include <array>

namespace fabricast {
namespace {

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
    model.position = PositionKind::Learned;
    FABRICAST_ASSIGN(model.learnedPositions,
                     config.size({"n_positions", "max_position_embeddings"}, 1024));
    model.maxPositions = model.learnedPositions;
    FABRICAST_ASSIGN(model.tiedEmbeddings, config.tied(true));
    FABRICAST_ASSIGN(const bool crossAttention, config.flag("add_cross_attention", false));
    if (crossAttention) {
        Error error = config.problem("add_cross_attention",
                                     "true is not supported",
                                     "only decoders on their own are counted");
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

}  // namespace

Result<AttentionSpec> multiHeadAttention(const HfReader& config,
                                         const ModelSpec& model,
                                         std::int64_t heads) {
    if (model.hidden % heads != 0) {
        return tl::unexpected(config.config().problem("divides a hidden size of " +
                                                      std::to_string(model.hidden) + " into " +
                                                      std::to_string(heads) + " heads unevenly"));
    }
    return AttentionSpec{
        .heads = heads, .kvHeads = heads, .headDim = model.hidden / heads, .fusedQkv = true};
}

std::span<const HfGptFamily> hfGptFamilies() {
    static constexpr std::array kFamilies{
        HfGptFamily{"gpt2", "GPT2LMHeadModel", readGpt2},
        HfGptFamily{"gpt_neox", "GPTNeoXForCausalLM", readGptNeox},
        HfGptFamily{"falcon", "FalconForCausalLM", readFalcon},
        HfGptFamily{"opt", "OPTForCausalLM", readOpt},
        HfGptFamily{"bloom", "BloomForCausalLM", readBloom},
        HfGptFamily{"mpt", "MptForCausalLM", readMpt}};
    return kFamilies;
}

}  // namespace fabricast
