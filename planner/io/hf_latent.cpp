#include "planner/io/hf_decoder.h"

namespace fabricast {

/// DeepSeek's multi-head latent attention. A null q_lora_rank is one plain q projection; an absent
/// one is 1536. num_key_value_heads and head_dim are written by some files and mean nothing here.
Result<AttentionSpec> readLatentAttention(const HfDecoder& family, const HfReader& config) {
    AttentionSpec attention{.kind = AttentionKind::Latent};
    FABRICAST_ASSIGN(attention.heads, config.size({"num_attention_heads"}, family.heads));
    attention.kvHeads = attention.heads;
    FABRICAST_ASSIGN(attention.qLoraRank, config.sizeOrNull({"q_lora_rank"}, 1536, 0));
    FABRICAST_ASSIGN(attention.kvLoraRank, config.size({"kv_lora_rank"}, 512));
    FABRICAST_ASSIGN(attention.qkNopeDim, config.count({"qk_nope_head_dim"}, 128));
    FABRICAST_ASSIGN(attention.qkRopeDim, config.count({"qk_rope_head_dim"}, 64));
    FABRICAST_ASSIGN(attention.vHeadDim, config.size({"v_head_dim"}, 128));
    FABRICAST_ASSIGN(attention.latentBias, config.flag("attention_bias", false));
    attention.headDim = attention.qkNopeDim + attention.qkRopeDim;
    return attention;
}

}  // namespace fabricast
