#include "planner/io/hf_gpt.h"

#include <algorithm>

namespace fabricast {
namespace {

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
/// num_kv_heads says; else all.
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

}  // namespace

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

}  // namespace fabricast
