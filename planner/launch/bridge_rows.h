#pragma once
#include <array>
#include <string_view>

namespace fabricast {

/// How the values of an argument are written in Python.
enum class PythonForm { Same, Text, On, Off, List, Texts, Pair, Type, Backend };

struct BridgeRow {
    std::string_view flag;
    std::string_view section;  ///< empty: Bridge does not need to hear it
    std::string_view key;
    PythonForm form = PythonForm::Same;
};

/// Megatron-LM's arguments, and where Megatron Bridge has the same.
inline constexpr std::array kBridgeRows = {
    BridgeRow{"--num-layers", "model", "num_layers"},
    BridgeRow{"--hidden-size", "model", "hidden_size"},
    BridgeRow{"--ffn-hidden-size", "model", "ffn_hidden_size"},
    BridgeRow{"--num-attention-heads", "model", "num_attention_heads"},
    BridgeRow{"--group-query-attention", "", ""},
    BridgeRow{"--num-query-groups", "model", "num_query_groups"},
    BridgeRow{"--kv-channels", "model", "kv_channels"},
    BridgeRow{"--add-qkv-bias", "model", "add_qkv_bias", PythonForm::On},
    BridgeRow{"--qk-layernorm", "model", "qk_layernorm", PythonForm::On},
    BridgeRow{"--swiglu", "model", "gated_linear_unit", PythonForm::On},
    BridgeRow{"--normalization", "model", "normalization", PythonForm::Text},
    BridgeRow{"--disable-bias-linear", "model", "add_bias_linear", PythonForm::Off},
    BridgeRow{"--untie-embeddings-and-output-weights",
              "model",
              "share_embeddings_and_output_weights",
              PythonForm::Off},
    BridgeRow{"--position-embedding-type", "model", "position_embedding_type", PythonForm::Text},
    BridgeRow{"--window-size", "model", "window_size", PythonForm::Pair},
    BridgeRow{"--mtp-num-layers", "model", "mtp_num_layers"},
    BridgeRow{"--vocab-size", "", ""},  // written padded
    BridgeRow{"--make-vocab-size-divisible-by", "model", "make_vocab_size_divisible_by"},
    BridgeRow{"--num-experts", "model", "num_moe_experts"},
    BridgeRow{"--moe-router-topk", "model", "moe_router_topk"},
    BridgeRow{"--moe-ffn-hidden-size", "model", "moe_ffn_hidden_size"},
    BridgeRow{"--moe-layer-freq", "model", "moe_layer_freq"},
    BridgeRow{
        "--moe-shared-expert-intermediate-size", "model", "moe_shared_expert_intermediate_size"},
    BridgeRow{"--moe-shared-expert-gate", "model", "moe_shared_expert_gate", PythonForm::On},
    BridgeRow{
        "--moe-router-score-function", "model", "moe_router_score_function", PythonForm::Text},
    BridgeRow{"--moe-router-enable-expert-bias",
              "model",
              "moe_router_enable_expert_bias",
              PythonForm::On},
    BridgeRow{"--expert-model-parallel-size", "model", "expert_model_parallel_size"},
    BridgeRow{"--expert-tensor-parallel-size", "model", "expert_tensor_parallel_size"},
    BridgeRow{"--moe-grouped-gemm", "model", "moe_grouped_gemm", PythonForm::On},
    BridgeRow{
        "--moe-token-dispatcher-type", "model", "moe_token_dispatcher_type", PythonForm::Text},
    BridgeRow{
        "--moe-flex-dispatcher-backend", "model", "moe_flex_dispatcher_backend", PythonForm::Text},
    BridgeRow{"--moe-router-dtype", "model", "moe_router_dtype", PythonForm::Text},
    BridgeRow{"--moe-router-load-balancing-type",
              "model",
              "moe_router_load_balancing_type",
              PythonForm::Text},
    BridgeRow{"--moe-aux-loss-coeff", "model", "moe_aux_loss_coeff"},
    BridgeRow{"--moe-expert-capacity-factor", "model", "moe_expert_capacity_factor"},
    BridgeRow{"--moe-pad-expert-input-to-capacity",
              "model",
              "moe_pad_expert_input_to_capacity",
              PythonForm::On},
    BridgeRow{"--moe-router-force-load-balancing",
              "model",
              "moe_router_force_load_balancing",
              PythonForm::On},
    BridgeRow{"--overlap-moe-expert-parallel-comm",
              "model",
              "overlap_moe_expert_parallel_comm",
              PythonForm::On},
    BridgeRow{"--tensor-model-parallel-size", "model", "tensor_model_parallel_size"},
    BridgeRow{"--sequence-parallel", "model", "sequence_parallel", PythonForm::On},
    BridgeRow{"--tp-comm-overlap", "model", "tp_comm_overlap", PythonForm::On},
    BridgeRow{"--pipeline-model-parallel-size", "model", "pipeline_model_parallel_size"},
    BridgeRow{"--pipeline-model-parallel-layout",
              "model",
              "pipeline_model_parallel_layout",
              PythonForm::Text},
    BridgeRow{"--account-for-embedding-in-pipeline-split",
              "model",
              "account_for_embedding_in_pipeline_split",
              PythonForm::On},
    BridgeRow{"--account-for-loss-in-pipeline-split",
              "model",
              "account_for_loss_in_pipeline_split",
              PythonForm::On},
    BridgeRow{"--decoder-first-pipeline-num-layers", "model", "num_layers_in_first_pipeline_stage"},
    BridgeRow{"--decoder-last-pipeline-num-layers", "model", "num_layers_in_last_pipeline_stage"},
    BridgeRow{"--num-virtual-stages-per-pipeline-rank", "", ""},  // written with a layout as well
    BridgeRow{"--microbatch-group-size-per-virtual-pipeline-stage",
              "model",
              "microbatch_group_size_per_vp_stage"},
    BridgeRow{"--context-parallel-size", "model", "context_parallel_size"},
    BridgeRow{"--cp-comm-type", "model", "cp_comm_type", PythonForm::Text},
    BridgeRow{"--hierarchical-context-parallel-sizes",
              "model",
              "hierarchical_context_parallel_sizes",
              PythonForm::List},
    BridgeRow{"--use-distributed-optimizer", "ddp", "use_distributed_optimizer", PythonForm::On},
    BridgeRow{
        "--num-distributed-optimizer-instances", "ddp", "num_distributed_optimizer_instances"},
    BridgeRow{"--overlap-grad-reduce", "ddp", "overlap_grad_reduce", PythonForm::On},
    BridgeRow{"--overlap-param-gather", "ddp", "overlap_param_gather", PythonForm::On},
    BridgeRow{"--ddp-bucket-size", "ddp", "bucket_size"},
    BridgeRow{"--ddp-pad-buckets-for-high-nccl-busbw",
              "ddp",
              "pad_buckets_for_high_nccl_busbw",
              PythonForm::On},
    BridgeRow{"--no-gradient-accumulation-fusion", "", ""},  // off in Bridge
    BridgeRow{"--use-tp-pp-dp-mapping", "dist", "use_tp_pp_dp_mapping", PythonForm::On},
    // Not modelled: they are read to be refused.
    BridgeRow{"--use-megatron-fsdp", "ddp", "use_megatron_fsdp", PythonForm::On},
    BridgeRow{"--use-torch-fsdp2", "dist", "use_torch_fsdp2", PythonForm::On},
    BridgeRow{"--fp8-param-gather", "mixed_precision", "fp8_param_gather", PythonForm::On},
    BridgeRow{
        "--distribute-saved-activations", "model", "distribute_saved_activations", PythonForm::On},
    BridgeRow{"--micro-batch-size", "train", "micro_batch_size"},
    BridgeRow{"--global-batch-size", "train", "global_batch_size"},
    BridgeRow{"--seq-length", "model", "seq_length"},
    BridgeRow{"--max-position-embeddings", "", ""},  // the sequence's
    BridgeRow{"--bf16", "mixed_precision", "bf16", PythonForm::On},
    BridgeRow{"--fp16", "mixed_precision", "fp16", PythonForm::On},
    BridgeRow{"--fp8-format", "mixed_precision", "fp8", PythonForm::Text},
    BridgeRow{"--fp8-recipe", "mixed_precision", "fp8_recipe", PythonForm::Text},
    BridgeRow{"--fp4-format", "mixed_precision", "fp4", PythonForm::Text},
    BridgeRow{"--grad-reduce-in-bf16", "", ""},  // written for every precision
    BridgeRow{"--use-precision-aware-optimizer",
              "optimizer",
              "use_precision_aware_optimizer",
              PythonForm::On},
    BridgeRow{"--main-grads-dtype", "optimizer", "main_grads_dtype", PythonForm::Type},
    BridgeRow{"--exp-avg-dtype", "optimizer", "exp_avg_dtype", PythonForm::Type},
    BridgeRow{"--exp-avg-sq-dtype", "optimizer", "exp_avg_sq_dtype", PythonForm::Type},
    BridgeRow{"--optimizer-cpu-offload", "optimizer", "optimizer_cpu_offload", PythonForm::On},
    BridgeRow{"--optimizer-offload-fraction", "optimizer", "optimizer_offload_fraction"},
    BridgeRow{"--optimizer", "optimizer", "optimizer", PythonForm::Text},
    BridgeRow{"--sgd-momentum", "optimizer", "sgd_momentum"},
    BridgeRow{"--transformer-impl", "model", "transformer_impl", PythonForm::Text},
    BridgeRow{"--attention-backend", "model", "attention_backend", PythonForm::Backend},
    BridgeRow{"--cross-entropy-loss-fusion", "model", "cross_entropy_loss_fusion", PythonForm::On},
    BridgeRow{"--attention-dropout", "model", "attention_dropout"},
    BridgeRow{"--hidden-dropout", "model", "hidden_dropout"},
    BridgeRow{"--cuda-graph-impl", "model", "cuda_graph_impl", PythonForm::Text},
    BridgeRow{"--cpu-offloading-num-layers", "model", "cpu_offloading_num_layers"},
    BridgeRow{"--recompute-granularity", "model", "recompute_granularity", PythonForm::Text},
    BridgeRow{"--recompute-method", "model", "recompute_method", PythonForm::Text},
    BridgeRow{"--recompute-num-layers", "model", "recompute_num_layers"},
    BridgeRow{"--recompute-modules", "model", "recompute_modules", PythonForm::Texts},
    BridgeRow{"--save", "checkpoint", "save", PythonForm::Text},
    BridgeRow{"--load", "checkpoint", "load", PythonForm::Text},
    BridgeRow{"--save-interval", "checkpoint", "save_interval"},
    BridgeRow{"--ckpt-format", "checkpoint", "ckpt_format", PythonForm::Text},
    BridgeRow{"--async-save", "checkpoint", "async_save", PythonForm::On},
    BridgeRow{
        "--non-persistent-ckpt-type", "checkpoint", "non_persistent_ckpt_type", PythonForm::Text},
    BridgeRow{"--non-persistent-local-ckpt-dir",
              "checkpoint",
              "non_persistent_local_ckpt_dir",
              PythonForm::Text},
    BridgeRow{"--non-persistent-save-interval", "checkpoint", "non_persistent_save_interval"},
    BridgeRow{"--replication", "checkpoint", "replication", PythonForm::On},
    BridgeRow{"--replication-jump", "checkpoint", "replication_jump"},
    BridgeRow{"--replication-factor", "checkpoint", "replication_factor"}};

}  // namespace fabricast
