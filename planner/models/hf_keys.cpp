#include "planner/models/hf_keys.h"

#include "planner/spec/check_settings.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

using Name = std::string_view;

/// Those of transformers' ACT2FN.
constexpr std::array<Name, 22> kActivations = {"gelu",
                                               "gelu_10",
                                               "gelu_accurate",
                                               "gelu_fast",
                                               "gelu_new",
                                               "gelu_python",
                                               "gelu_pytorch_tanh",
                                               "laplace",
                                               "leaky_relu",
                                               "linear",
                                               "mish",
                                               "prelu",
                                               "quick_gelu",
                                               "relu",
                                               "relu2",
                                               "relu6",
                                               "sigmoid",
                                               "silu",
                                               "swish",
                                               "swiglu",
                                               "tanh",
                                               "xielu"};
/// Those of its ROPE_INIT_FUNCTIONS, and what old files of Phi-3 call longrope.
constexpr std::array<Name, 9> kRotations = {
    "default", "dynamic", "linear", "llama3", "longrope", "mrope", "proportional", "su", "yarn"};

constexpr double kMostWidth = static_cast<double>(kMostModelWidth);

constexpr HfKey size(Name name, Name usual, std::int64_t most = kMostModelWidth) {
    return {name, HfKey::Whole, 1.0, static_cast<double>(most), false, usual};
}
constexpr HfKey count(Name name, Name usual, std::int64_t most = kMostModelWidth) {
    return {name, HfKey::Whole, 0.0, static_cast<double>(most), false, usual};
}
constexpr HfKey share(Name name, Name usual) {
    return {name, HfKey::Number, 0.0, 1.0, false, usual};
}
/// What something is divided by, or a root is taken of.
constexpr HfKey positive(Name name, Name usual) {
    return {name, HfKey::Number, 0.0, 1e6, true, usual};
}
constexpr HfKey of(Name name, unsigned takes, Name usual) {
    return {name, takes, 0.0, 0.0, false, usual};
}

constexpr std::array kHfKeys = {
    of("_name_or_path", HfKey::Text, R"("")"),
    HfKey{"_remove_final_layer_norm"},
    size("_sliding_window_pattern", "6"),
    of("activation", HfKey::Text, R"("gelu")"),
    HfKey{"activation_function", HfKey::Text, 0.0, 0.0, false, R"("silu")", kActivations},
    HfKey{"add_cross_attention"},
    HfKey{"alibi"},
    HfKey{"apply_residual_connection_post_layernorm"},
    of("architectures", HfKey::Texts, R"(["LlamaForCausalLM"])"),
    HfKey{"attention_bias"},
    count("attention_chunk_size", "4096"),
    share("attention_dropout", "0.0"),
    HfKey{"attention_multiplier", HfKey::Number, 0.0, 1e6, false, "1.0"},
    HfKey{"attention_out_bias"},
    of("attn_config", HfKey::Object, "{}"),
    positive("attn_logit_softcapping", "30.0, or null"),
    share("attn_pdrop", "0.0"),
    HfKey{"attn_scale", HfKey::Number, 0.0, 1e6, false, "0.1"},
    HfKey{"attn_temperature_tuning", HfKey::Flag | HfKey::Number, 0.0, 1e6, false, "true"},
    of("auto_map", HfKey::Object, "{}"),
    HfKey{"aux_loss_alpha", HfKey::Number, 0.0, 1e3, false, "0.001"},
    HfKey{"bias"},
    HfKey{"bos_token_id", HfKey::Whole | HfKey::Wholes, -1.0, kMostWidth, false, "2, or null"},
    share("classifier_dropout", "0.0"),
    positive("clip_qkv", "null"),
    size("d_model", "4096"),
    size("decoder_sparse_step", "1"),
    HfKey{"do_layer_norm_before"},
    share("dropout", "0.0"),
    of("dtype", HfKey::Text, R"("bfloat16")"),
    share("emb_pdrop", "0.0"),
    share("embd_pdrop", "0.0"),
    share("embedding_fraction", "1.0"),
    HfKey{"embedding_multiplier", HfKey::Number, 0.0, 1e6, false, "1.0"},
    HfKey{"enable_bias"},
    HfKey{"eos_token_id", HfKey::Whole | HfKey::Wholes, -1.0, kMostWidth, false, "2, or null"},
    size("ep_size", "1"),
    positive("expansion_ratio", "4"),
    count("experts_per_token", "2", kMostModelExperts),
    size("ffn_dim", "11008"),
    size("ffn_hidden_size", "11008"),
    positive("final_logit_softcapping", "30.0, or null"),
    count("first_k_dense_replace", "1"),
    HfKey{"floor_scale", HfKey::Number, 0.0, 1e9, true, "8192"},
    size("head_dim", "128"),
    HfKey{"hidden_act", HfKey::Text, 0.0, 0.0, false, R"("silu")", kActivations},
    HfKey{"hidden_activation", HfKey::Text, 0.0, 0.0, false, R"("silu")", kActivations},
    share("hidden_dropout", "0.0"),
    size("hidden_size", "4096"),
    of("init_device", HfKey::Text, R"("cpu")"),
    HfKey{"init_std", HfKey::Number, 0.0, 1e3, false, "0.02"},
    HfKey{"initializer_range", HfKey::Number, 0.0, 1e3, false, "0.02"},
    size("interleave_moe_layer_step", "1"),
    size("intermediate_size", "11008"),
    size("intermediate_size_mlp", "11008"),
    HfKey{"is_decoder"},
    size("kv_lora_rank", "512"),
    HfKey{"layer_norm_elementwise_affine"},
    share("layer_norm_eps", "1e-06"),
    share("layer_norm_epsilon", "1e-06"),
    of("layer_types", HfKey::Texts, R"(["full_attention"], one for each layer)"),
    share("layerdrop", "0.0"),
    HfKey{"learned_pos_emb"},
    HfKey{"lm_head_bias"},
    HfKey{"logit_scale", HfKey::Text | HfKey::Number, 0.0, 1e6, true, "null"},
    positive("logits_scaling", "1.0"),
    size("max_position_embeddings", "4096"),
    size("max_seq_len", "4096"),
    count("max_window_layers", "0"),
    HfKey{"mlp_bias"},
    HfKey{"mlp_only_layers", HfKey::Wholes, 0.0, kMostWidth, false, "[]"},
    of("model_type", HfKey::Text, R"("llama")"),
    size("moe_intermediate_size", "11008"),
    HfKey{"moe_layer_freq", HfKey::Whole | HfKey::Wholes, 0.0, kMostWidth, false, "1"},
    HfKey{"moe_layers", HfKey::Wholes, 0.0, kMostWidth, false, "[]"},
    HfKey{"multi_query"},
    size("n_ctx", "4096"),
    size("n_embd", "4096"),
    size("n_embed", "4096"),
    size("n_group", "8"),
    size("n_head", "32"),
    size("n_heads", "32"),
    size("n_inner", "11008"),
    size("n_layer", "32", kMostModelLayers),
    size("n_layers", "32", kMostModelLayers),
    size("n_positions", "4096"),
    count("n_routed_experts", "8", kMostModelExperts),
    count("n_shared_experts", "1", kMostModelExperts),
    HfKey{"new_decoder_architecture"},
    HfKey{"no_bias"},
    size("no_rope_layer_interval", "4"),
    HfKey{"no_rope_layers", HfKey::Wholes, 0.0, kMostWidth, false, "[]"},
    HfKey{"norm_topk_prob"},
    of("norm_type", HfKey::Text, R"("low_precision_layernorm")"),
    size("num_attention_heads", "32"),
    count("num_experts", "8", kMostModelExperts),
    count("num_experts_per_tok", "2", kMostModelExperts),
    size("num_hidden_layers", "32", kMostModelLayers),
    size("num_key_value_heads", "8"),
    size("num_kv_heads", "8"),
    count("num_ln_in_parallel_attn", "2"),
    count("num_local_experts", "8", kMostModelExperts),
    count("num_mtp_layers", "1", kMostPredictionLayers),
    count("num_nextn_predict_layers", "1", kMostPredictionLayers),
    size("original_max_position_embeddings", "4096"),
    HfKey{"output_router_logits"},
    HfKey{"pad_token_id", HfKey::Whole | HfKey::Wholes, -1.0, kMostWidth, false, "2, or null"},
    HfKey{"parallel_attn"},
    share("partial_rotary_factor", "1.0"),
    size("pretraining_tp", "1"),
    size("q_lora_rank", "512"),
    size("qk_head_dim", "128"),
    count("qk_nope_head_dim", "128"),
    count("qk_rope_head_dim", "64"),
    HfKey{"qkv_bias"},
    of("quantization_config", HfKey::Object, "{}"),
    positive("query_pre_attn_scalar", "256"),
    HfKey{"reorder_and_upcast_attn"},
    share("resid_pdrop", "0.0"),
    HfKey{"residual_multiplier", HfKey::Number, 0.0, 1e6, false, "1.0"},
    share("rms_norm_eps", "1e-06"),
    HfKey{"rope_interleave"},
    HfKey{"rope_local_base_freq", HfKey::Number, 1.0, 1e15, false, "10000.0"},
    of("rope_parameters", HfKey::Rotation, R"({"rope_type": "default", "rope_theta": 10000.0})"),
    of("rope_scaling", HfKey::Rotation, R"({"rope_type": "linear", "factor": 2.0}, or null)"),
    HfKey{"rope_theta", HfKey::Number, 1.0, 1e15, false, "10000.0"},
    size("rotary_dim", "64"),
    HfKey{"rotary_emb_base", HfKey::Number, 1.0, 1e15, false, "10000.0"},
    share("rotary_pct", "0.25"),
    HfKey{"routed_scaling_factor", HfKey::Number, 0.0, 1e6, false, "1.0"},
    HfKey{"router_aux_loss_coef", HfKey::Number, 0.0, 1e3, false, "0.001"},
    share("router_jitter_noise", "0.0"),
    HfKey{"scale_attn_by_inverse_layer_idx"},
    HfKey{"scale_attn_weights"},
    of("scoring_func", HfKey::Text, R"("softmax")"),
    HfKey{"seq_aux"},
    size("seq_length", "4096"),
    count("shared_expert_intermediate_size", "0"),
    count("sliding_window", "4096"),
    size("sliding_window_pattern", "6"),
    HfKey{"slow_but_exact"},
    of("summary_activation", HfKey::Text, R"("gelu")"),
    share("summary_first_dropout", "0.0"),
    HfKey{"summary_proj_to_labels"},
    of("summary_type", HfKey::Text, R"("cls_index")"),
    HfKey{"summary_use_proj"},
    HfKey{"swiglu_alpha", HfKey::Number, 0.0, 1e6, false, "1.702"},
    positive("swiglu_limit", "7.0"),
    of("task_specific_params", HfKey::Object, "{}"),
    of("text_config", HfKey::Object, "{}"),
    HfKey{"tie_word_embeddings"},
    size("topk_group", "1"),
    of("topk_method", HfKey::Text, R"("greedy")"),
    of("torch_dtype", HfKey::Text, R"("bfloat16")"),
    of("transformers_version", HfKey::Text, R"("5.0.0")"),
    HfKey{"unk_index", HfKey::Whole | HfKey::Wholes, -1.0, kMostWidth, false, "2, or null"},
    HfKey{"use_bias"},
    HfKey{"use_bidirectional_attention", HfKey::Flag | HfKey::Text, 0.0, 0.0, false, "false"},
    HfKey{"use_cache"},
    HfKey{"use_parallel_residual"},
    HfKey{"use_qk_norm"},
    HfKey{"use_sliding_window"},
    size("v_head_dim", "128"),
    size("vocab_size", "32000"),
    size("word_embed_proj_dim", "512"),
};

constexpr std::array kRotationKeys = {
    HfKey{"attention_factor", HfKey::Number, 0.0, 1e6, false, "1.0"},
    positive("beta_fast", "32"),
    positive("beta_slow", "32"),
    positive("factor", "2.0"),
    positive("high_freq_factor", "2.0"),
    HfKey{"long_factor",
          HfKey::Numbers,
          0.0,
          1e6,
          true,
          "a list of a number for each pair of columns"},
    HfKey{"long_mscale", HfKey::Number, 0.0, 1e6, false, "1.0"},
    positive("low_freq_factor", "2.0"),
    HfKey{"mscale", HfKey::Number, 0.0, 1e6, false, "1.0"},
    HfKey{"mscale_all_dim", HfKey::Number, 0.0, 1e6, false, "1.0"},
    size("original_max_position_embeddings", "8192"),
    share("partial_rotary_factor", "1.0"),
    HfKey{"rope_theta", HfKey::Number, 1.0, 1e15, false, "10000.0"},
    HfKey{"rope_type", HfKey::Text, 0.0, 0.0, false, R"("linear")", kRotations},
    HfKey{"short_factor",
          HfKey::Numbers,
          0.0,
          1e6,
          true,
          "a list of a number for each pair of columns"},
    HfKey{"short_mscale", HfKey::Number, 0.0, 1e6, false, "1.0"},
    HfKey{"truncate"},
    HfKey{"type", HfKey::Text, 0.0, 0.0, false, R"("linear")", kRotations},
};

}  // namespace

std::span<const HfKey> hfKeys() {
    return kHfKeys;
}

std::span<const HfKey> hfRotationKeys() {
    return kRotationKeys;
}

const HfKey* findHfKey(std::span<const HfKey> keys, std::string_view name) {
    const auto found = std::ranges::find(keys, name, &HfKey::name);
    return found == keys.end() ? nullptr : &*found;
}

}  // namespace fabricast
