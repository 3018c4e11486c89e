#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

namespace fabricast {

/// How the values of an argument are written in Python.
enum class PythonForm { Same, Text, On, Off, List, Texts, Pair, Type, Backend };

struct BridgeRow {
    std::string_view flag;
    std::string_view section{};  ///< empty: Bridge does not need to hear it
    std::string_view key{};      ///< empty: named as the flag is, "num_layers" of "--num-layers"
    PythonForm form = PythonForm::Same;

    [[nodiscard]] std::string name() const {
        std::string own(key.empty() ? flag.substr(2) : key);
        std::ranges::replace(own, '-', '_');
        return own;
    }
    [[nodiscard]] bool isNamed(std::string_view field) const {
        const auto isSame = [](char own, char typed) {
            return own == typed || (own == '-' && typed == '_');
        };
        return key.empty() ? std::ranges::equal(flag.substr(2), field, isSame) : key == field;
    }
};

/// Megatron-LM's arguments, and where Megatron Bridge has the same.
inline constexpr std::array kBridgeRows = {
    BridgeRow{.flag = "--num-layers", .section = "model"},
    BridgeRow{.flag = "--hidden-size", .section = "model"},
    BridgeRow{.flag = "--ffn-hidden-size", .section = "model"},
    BridgeRow{.flag = "--num-attention-heads", .section = "model"},
    BridgeRow{.flag = "--group-query-attention"},
    BridgeRow{.flag = "--num-query-groups", .section = "model"},
    BridgeRow{.flag = "--kv-channels", .section = "model"},
    BridgeRow{.flag = "--add-qkv-bias", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--qk-layernorm", .section = "model", .form = PythonForm::On},
    BridgeRow{
        .flag = "--swiglu", .section = "model", .key = "gated_linear_unit", .form = PythonForm::On},
    BridgeRow{.flag = "--normalization", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--disable-bias-linear",
              .section = "model",
              .key = "add_bias_linear",
              .form = PythonForm::Off},
    BridgeRow{.flag = "--untie-embeddings-and-output-weights",
              .section = "model",
              .key = "share_embeddings_and_output_weights",
              .form = PythonForm::Off},
    BridgeRow{.flag = "--position-embedding-type", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--rotary-percent", .section = "model"},
    BridgeRow{.flag = "--quick-geglu",
              .section = "model",
              .key = "gated_linear_unit",
              .form = PythonForm::On},
    BridgeRow{.flag = "--glu-linear-offset", .section = "model"},
    BridgeRow{.flag = "--activation-func-clamp-value", .section = "model"},
    BridgeRow{.flag = "--softmax-type", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--window-size", .section = "model", .form = PythonForm::Pair},
    BridgeRow{.flag = "--window-attn-skip-freq", .section = "model"},
    BridgeRow{.flag = "--mtp-num-layers", .section = "model"},
    BridgeRow{.flag = "--vocab-size"},  // written padded
    BridgeRow{.flag = "--make-vocab-size-divisible-by", .section = "model"},
    BridgeRow{.flag = "--num-experts", .section = "model", .key = "num_moe_experts"},
    BridgeRow{.flag = "--moe-router-topk", .section = "model"},
    BridgeRow{.flag = "--moe-ffn-hidden-size", .section = "model"},
    BridgeRow{.flag = "--moe-layer-freq", .section = "model"},
    BridgeRow{.flag = "--moe-shared-expert-intermediate-size", .section = "model"},
    BridgeRow{.flag = "--moe-shared-expert-gate", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--moe-router-score-function", .section = "model", .form = PythonForm::Text},
    BridgeRow{
        .flag = "--moe-router-enable-expert-bias", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--expert-model-parallel-size", .section = "model"},
    BridgeRow{.flag = "--expert-tensor-parallel-size", .section = "model"},
    BridgeRow{.flag = "--moe-grouped-gemm", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--moe-token-dispatcher-type", .section = "model", .form = PythonForm::Text},
    BridgeRow{
        .flag = "--moe-flex-dispatcher-backend", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--moe-router-dtype", .section = "model", .form = PythonForm::Text},
    BridgeRow{
        .flag = "--moe-router-load-balancing-type", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--moe-aux-loss-coeff", .section = "model"},
    BridgeRow{.flag = "--moe-expert-capacity-factor", .section = "model"},
    BridgeRow{
        .flag = "--moe-pad-expert-input-to-capacity", .section = "model", .form = PythonForm::On},
    BridgeRow{
        .flag = "--moe-router-force-load-balancing", .section = "model", .form = PythonForm::On},
    BridgeRow{
        .flag = "--overlap-moe-expert-parallel-comm", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--tensor-model-parallel-size", .section = "model"},
    BridgeRow{.flag = "--sequence-parallel", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--tp-comm-overlap", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--pipeline-model-parallel-size", .section = "model"},
    BridgeRow{
        .flag = "--pipeline-model-parallel-layout", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--account-for-embedding-in-pipeline-split",
              .section = "model",
              .form = PythonForm::On},
    BridgeRow{
        .flag = "--account-for-loss-in-pipeline-split", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--decoder-first-pipeline-num-layers",
              .section = "model",
              .key = "num_layers_in_first_pipeline_stage"},
    BridgeRow{.flag = "--decoder-last-pipeline-num-layers",
              .section = "model",
              .key = "num_layers_in_last_pipeline_stage"},
    BridgeRow{.flag = "--num-virtual-stages-per-pipeline-rank"},  // written with a layout as well
    BridgeRow{.flag = "--microbatch-group-size-per-virtual-pipeline-stage",
              .section = "model",
              .key = "microbatch_group_size_per_vp_stage"},
    BridgeRow{.flag = "--context-parallel-size", .section = "model"},
    BridgeRow{.flag = "--cp-comm-type", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--hierarchical-context-parallel-sizes",
              .section = "model",
              .form = PythonForm::List},
    BridgeRow{.flag = "--use-distributed-optimizer", .section = "ddp", .form = PythonForm::On},
    BridgeRow{.flag = "--num-distributed-optimizer-instances", .section = "ddp"},
    BridgeRow{.flag = "--overlap-grad-reduce", .section = "ddp", .form = PythonForm::On},
    BridgeRow{.flag = "--overlap-param-gather", .section = "ddp", .form = PythonForm::On},
    BridgeRow{.flag = "--ddp-bucket-size", .section = "ddp", .key = "bucket_size"},
    BridgeRow{.flag = "--ddp-pad-buckets-for-high-nccl-busbw",
              .section = "ddp",
              .key = "pad_buckets_for_high_nccl_busbw",
              .form = PythonForm::On},
    BridgeRow{.flag = "--no-gradient-accumulation-fusion"},  // off in Bridge
    BridgeRow{.flag = "--no-rope-fusion"},                   // as well
    BridgeRow{.flag = "--use-tp-pp-dp-mapping", .section = "dist", .form = PythonForm::On},
    // Not modelled: they are read to be refused.
    BridgeRow{.flag = "--use-megatron-fsdp", .section = "ddp", .form = PythonForm::On},
    BridgeRow{.flag = "--use-torch-fsdp2", .section = "dist", .form = PythonForm::On},
    BridgeRow{.flag = "--fp8-param-gather", .section = "mixed_precision", .form = PythonForm::On},
    BridgeRow{
        .flag = "--fp8-multi-head-attention", .section = "mixed_precision", .form = PythonForm::On},
    BridgeRow{.flag = "--distribute-saved-activations", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--micro-batch-size", .section = "train"},
    BridgeRow{.flag = "--global-batch-size", .section = "train"},
    BridgeRow{.flag = "--seq-length", .section = "model"},
    BridgeRow{.flag = "--max-position-embeddings"},  // the sequence's
    BridgeRow{.flag = "--bf16", .section = "mixed_precision", .form = PythonForm::On},
    BridgeRow{.flag = "--fp16", .section = "mixed_precision", .form = PythonForm::On},
    BridgeRow{.flag = "--fp8-format",
              .section = "mixed_precision",
              .key = "fp8",
              .form = PythonForm::Text},
    BridgeRow{.flag = "--fp8-recipe", .section = "mixed_precision", .form = PythonForm::Text},
    BridgeRow{.flag = "--fp4-format",
              .section = "mixed_precision",
              .key = "fp4",
              .form = PythonForm::Text},
    BridgeRow{.flag = "--fp8-dot-product-attention",
              .section = "mixed_precision",
              .form = PythonForm::On},
    BridgeRow{.flag = "--grad-reduce-in-bf16"},  // written for every precision
    BridgeRow{
        .flag = "--use-precision-aware-optimizer", .section = "optimizer", .form = PythonForm::On},
    BridgeRow{.flag = "--main-grads-dtype", .section = "optimizer", .form = PythonForm::Type},
    BridgeRow{.flag = "--exp-avg-dtype", .section = "optimizer", .form = PythonForm::Type},
    BridgeRow{.flag = "--exp-avg-sq-dtype", .section = "optimizer", .form = PythonForm::Type},
    BridgeRow{.flag = "--optimizer-cpu-offload", .section = "optimizer", .form = PythonForm::On},
    BridgeRow{.flag = "--optimizer-offload-fraction", .section = "optimizer"},
    BridgeRow{.flag = "--optimizer", .section = "optimizer", .form = PythonForm::Text},
    BridgeRow{.flag = "--sgd-momentum", .section = "optimizer"},
    BridgeRow{.flag = "--transformer-impl", .section = "model", .form = PythonForm::Text},
    BridgeRow{
        .flag = "--use-transformer-engine-op-fuser", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--attention-backend", .section = "model", .form = PythonForm::Backend},
    BridgeRow{.flag = "--cross-entropy-loss-fusion", .section = "model", .form = PythonForm::On},
    BridgeRow{.flag = "--attention-dropout", .section = "model"},
    BridgeRow{.flag = "--hidden-dropout", .section = "model"},
    BridgeRow{.flag = "--cuda-graph-impl", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--cpu-offloading-num-layers", .section = "model"},
    BridgeRow{.flag = "--recompute-granularity", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--recompute-method", .section = "model", .form = PythonForm::Text},
    BridgeRow{.flag = "--recompute-num-layers", .section = "model"},
    BridgeRow{.flag = "--recompute-modules", .section = "model", .form = PythonForm::Texts},
    BridgeRow{.flag = "--save", .section = "checkpoint", .form = PythonForm::Text},
    BridgeRow{.flag = "--load", .section = "checkpoint", .form = PythonForm::Text},
    BridgeRow{.flag = "--save-interval", .section = "checkpoint"},
    BridgeRow{.flag = "--ckpt-format", .section = "checkpoint", .form = PythonForm::Text},
    BridgeRow{.flag = "--async-save", .section = "checkpoint", .form = PythonForm::On},
    BridgeRow{
        .flag = "--non-persistent-ckpt-type", .section = "checkpoint", .form = PythonForm::Text},
    BridgeRow{.flag = "--non-persistent-local-ckpt-dir",
              .section = "checkpoint",
              .form = PythonForm::Text},
    BridgeRow{.flag = "--non-persistent-save-interval", .section = "checkpoint"},
    BridgeRow{.flag = "--replication", .section = "checkpoint", .form = PythonForm::On},
    BridgeRow{.flag = "--replication-jump", .section = "checkpoint"},
    BridgeRow{.flag = "--replication-factor", .section = "checkpoint"}};

}  // namespace fabricast
