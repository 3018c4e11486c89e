#include "planner/models/hf_config.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace fabricast {
namespace {

constexpr std::size_t kMostNamed = 12;

/// Keys that decide the shape of at least one family.
constexpr std::array<std::string_view, 73> kKnownShapeKeys{"_remove_final_layer_norm",
                                                           "_sliding_window_pattern",
                                                           "add_cross_attention",
                                                           "alibi",
                                                           "architectures",
                                                           "attention_bias",
                                                           "attention_chunk_size",
                                                           "attention_out_bias",
                                                           "bias",
                                                           "d_model",
                                                           "decoder_sparse_step",
                                                           "do_layer_norm_before",
                                                           "enable_bias",
                                                           "ffn_dim",
                                                           "ffn_hidden_size",
                                                           "first_k_dense_replace",
                                                           "head_dim",
                                                           "hidden_size",
                                                           "interleave_moe_layer_step",
                                                           "intermediate_size",
                                                           "intermediate_size_mlp",
                                                           "kv_lora_rank",
                                                           "layer_norm_elementwise_affine",
                                                           "layer_types",
                                                           "max_position_embeddings",
                                                           "max_seq_len",
                                                           "max_window_layers",
                                                           "mlp_bias",
                                                           "mlp_only_layers",
                                                           "model_type",
                                                           "moe_intermediate_size",
                                                           "moe_layers",
                                                           "multi_query",
                                                           "n_embd",
                                                           "n_embed",
                                                           "n_head",
                                                           "n_heads",
                                                           "n_inner",
                                                           "n_layer",
                                                           "n_layers",
                                                           "n_positions",
                                                           "n_routed_experts",
                                                           "n_shared_experts",
                                                           "new_decoder_architecture",
                                                           "no_rope_layer_interval",
                                                           "no_rope_layers",
                                                           "num_attention_heads",
                                                           "num_experts",
                                                           "num_experts_per_tok",
                                                           "num_hidden_layers",
                                                           "num_key_value_heads",
                                                           "num_kv_heads",
                                                           "num_ln_in_parallel_attn",
                                                           "num_local_experts",
                                                           "num_mtp_layers",
                                                           "num_nextn_predict_layers",
                                                           "parallel_attn",
                                                           "q_lora_rank",
                                                           "qk_nope_head_dim",
                                                           "qk_rope_head_dim",
                                                           "qkv_bias",
                                                           "seq_length",
                                                           "shared_expert_intermediate_size",
                                                           "sliding_window",
                                                           "sliding_window_pattern",
                                                           "text_config",
                                                           "tie_word_embeddings",
                                                           "use_parallel_residual",
                                                           "use_qk_norm",
                                                           "use_sliding_window",
                                                           "v_head_dim",
                                                           "vocab_size",
                                                           "word_embed_proj_dim"};

/// Keys that change no shape in any family.
constexpr std::array<std::string_view, 84> kKeysWithoutEffect{
    "_name_or_path",
    "activation",
    "activation_function",
    "apply_residual_connection_post_layernorm",
    "attention_dropout",
    "attn_config",
    "attn_logit_softcapping",
    "attn_pdrop",
    "attn_scale",
    "attn_temperature_tuning",
    "auto_map",
    "aux_loss_alpha",
    "bos_token_id",
    "classifier_dropout",
    "dropout",
    "dtype",
    "emb_pdrop",
    "embd_pdrop",
    "embedding_fraction",
    "eos_token_id",
    "ep_size",
    "expansion_ratio",
    "experts_per_token",
    "final_logit_softcapping",
    "floor_scale",
    "hidden_act",
    "hidden_activation",
    "hidden_dropout",
    "init_device",
    "init_std",
    "initializer_range",
    "is_decoder",
    "layer_norm_eps",
    "layer_norm_epsilon",
    "layerdrop",
    "learned_pos_emb",
    "logit_scale",
    "moe_layer_freq",
    "n_ctx",
    "n_group",
    "no_bias",
    "norm_topk_prob",
    "norm_type",
    "original_max_position_embeddings",
    "output_router_logits",
    "pad_token_id",
    "partial_rotary_factor",
    "pretraining_tp",
    "qk_head_dim",
    "quantization_config",
    "query_pre_attn_scalar",
    "reorder_and_upcast_attn",
    "resid_pdrop",
    "rms_norm_eps",
    "rope_interleave",
    "rope_local_base_freq",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
    "rotary_emb_base",
    "rotary_pct",
    "routed_scaling_factor",
    "router_aux_loss_coef",
    "router_jitter_noise",
    "scale_attn_by_inverse_layer_idx",
    "scale_attn_weights",
    "scoring_func",
    "seq_aux",
    "slow_but_exact",
    "summary_activation",
    "summary_first_dropout",
    "summary_proj_to_labels",
    "summary_type",
    "summary_use_proj",
    "swiglu_alpha",
    "swiglu_limit",
    "task_specific_params",
    "topk_group",
    "topk_method",
    "torch_dtype",
    "transformers_version",
    "unk_index",
    "use_bidirectional_attention",
    "use_cache"};

template <std::size_t Size>
bool contains(const std::array<std::string_view, Size>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string keysNobodyReads(const JsonValue& config) {
    std::string list;
    std::size_t count = 0;
    for (const JsonValue& member : config.members()) {
        if (contains(kKnownShapeKeys, member.name()) ||
            contains(kKeysWithoutEffect, member.name())) {
            continue;
        }
        if (++count <= kMostNamed) {
            list += (list.empty() ? "" : ", ") + member.title();
        }
    }
    return count > kMostNamed ? list + " and " + std::to_string(count - kMostNamed) + " more"
                              : list;
}

}  // namespace fabricast
