#include "study/key_meanings.h"

#include <algorithm>
#include <array>

namespace fabricast {
namespace {

struct Meaning {
    std::string_view key;
    std::string_view text;
};

constexpr std::array kMeanings = {
    // A layout.
    Meaning{"dp", "data parallel: copies that train on different samples"},
    Meaning{"tp", "tensor parallel: GPUs that split each matrix of a layer"},
    Meaning{"sp", "Megatron's sequence parallelism: norms and dropout are split over tp too"},
    Meaning{"pp", "pipeline parallel: stages, each with a part of the layers"},
    Meaning{"vpp", "model chunks of each pipeline rank (interleaved schedules)"},
    Meaning{"cp", "context parallel: GPUs that split each sequence"},
    Meaning{"cp_kind", "how split sequences exchange keys and values"},
    Meaning{"ep", "expert parallel: GPUs over which experts are distributed"},
    Meaning{"etp", "tensor parallelism inside an expert"},
    Meaning{"shard", "what is split over dp: optimizer, then gradients, then parameters"},
    Meaning{"shard_size", "hsdp: ranks that share one copy of the states"},
    Meaning{"micro_batch", "samples of one forward pass of a rank"},
    Meaning{"schedule", "order of the microbatches in a pipeline"},
    Meaning{"group", "microbatches that interleaved schedules run in a row; 0: pp"},
    Meaning{"offload", "what is kept in host memory or on NVMe"},
    Meaning{"placement", "which of dp and pp has neighbouring ranks"},
    Meaning{"recompute", "what backward computes again instead of keeping it (help recompute)"},
    Meaning{"copies", "copies of the states: shard_size is dp x cp through them"},
    // Kernels.
    Meaning{"settings.kernels.code", "whose model code runs"},
    Meaning{"settings.kernels.norm", "norms in one kernel, written out in fp32, or Liger's"},
    Meaning{"settings.kernels.rope",
            "rotary embedding by complex numbers, by cos and sin, or Liger's"},
    Meaning{"settings.kernels.fused_qkv", "one matrix for queries, keys and values"},
    Meaning{"settings.kernels.attention", "FlashAttention, or scores kept in memory"},
    Meaning{"settings.kernels.attention_code", "whose attention kernel"},
    Meaning{"settings.kernels.fp8_attention", "attention multiplies in fp8 as the layers do"},
    Meaning{"settings.kernels.document_tokens", "of packed documents, which attend to themselves"},
    Meaning{"settings.kernels.activation", "SwiGLU as two operations, as one kernel, or Liger's"},
    Meaning{"settings.kernels.loss",
            "how logits become the loss: in what type, whole or in chunks, or fused with the head"},
    Meaning{"settings.kernels.loss_chunks", "slices of a chunked loss"},
    Meaning{"settings.kernels.position_ids", "the data loader hands position ids to the model"},
    Meaning{"settings.kernels.compile", "torch.compile on each layer"},
    Meaning{"settings.kernels.cuda_graphs", "layers are launched as CUDA graphs"},
    Meaning{"settings.kernels.graph_experts", "routed experts are part of the graphs"},
    Meaning{"settings.kernels.linear_host", "times the host's time of a linear layer's module"},
    Meaning{"settings.kernels.balanced_context",
            "cp: a rank has a part of a sequence's start and of its end, not one part (Axolotl)"},
    Meaning{"settings.kernels.fused_ops", "the activation writes what its product reads, in fp8"},
    Meaning{"settings.kernels.dropout", "dropout's probability; its masks are kept"},
    Meaning{"settings.kernels.deallocate_pipeline_outputs", "a stage frees what it has sent"},
    Meaning{"settings.kernels.quantization", "type of the layers' matrix products"},
    Meaning{"settings.kernels.quantized_experts", "experts' products are quantised too"},
    Meaning{"settings.kernels.experts", "one after another, grouped, or DeepSpeed's layers"},
    Meaning{"settings.kernels.fused_experts", "experts' products and activation in one kernel"},
    Meaning{"settings.kernels.dispatcher", "how tokens reach their experts"},
    Meaning{"settings.kernels.router_dtype", "type of the router's product"},
    Meaning{"settings.kernels.aux_loss", "the load balancing loss"},
    Meaning{"settings.kernels.capacity_factor", "an expert's tokens over its even share; 0: all"},
    Meaning{"settings.kernels.pad_to_capacity", "experts compute their capacity even if not full"},
    Meaning{"settings.kernels.dispatch_once_per_node", "DeepEP: a node gets one copy of a token"},
    Meaning{"settings.kernels.balanced_routing", "tokens go to experts in turn (benchmarks)"},
    Meaning{"settings.kernels.imbalance", "tokens of the busiest ep rank over its even share"},
    // Precision.
    Meaning{"settings.precision.parameters", "type in which parameters are stored"},
    Meaning{"settings.precision.compute", "type of matrix products and activations"},
    Meaning{"settings.precision.autocast", "torch.autocast casts at each operation"},
    Meaning{"settings.precision.gradients", "type of the buffer that gradients are summed in"},
    Meaning{"settings.precision.reduce", "type of gradients on the wire"},
    Meaning{"settings.precision.master_weights", "the optimizer keeps an fp32 copy"},
    Meaning{"settings.precision.moments", "type of the optimizer's moments"},
    Meaning{"settings.precision.master_remainder", "16 bits more instead of an fp32 copy"},
    // Recomputation and pipelines.
    Meaning{"settings.recompute.kind", "what is computed again (help recompute)"},
    Meaning{"settings.recompute.modules", "Megatron's modules that are computed again"},
    Meaning{"settings.recompute.layers", "layers of a checkpoint, or of a stage"},
    Meaning{"settings.pipeline.embedding_weight", "layers that the embedding counts as"},
    Meaning{"settings.pipeline.head_weight", "layers that the head counts as"},
    Meaning{"settings.pipeline.first_stage_layers", "layers of the first rank; 0: as the others"},
    Meaning{"settings.pipeline.last_stage_layers", "layers of the last rank; 0: as the others"},
    Meaning{"settings.pipeline.serial_exchange", "stages send, then receive"},
    Meaning{"settings.pipeline.scatter_exchange", "tp ranks send a part each, and gather the rest"},
    Meaning{"settings.pipeline.remainder", "chunks may differ by one layer"},
    Meaning{"settings.pipeline.passes", "times that the pipeline fills and drains in a step"},
    // Optimizer.
    Meaning{"settings.optimizer.kind", "the optimizer (--optimizer)"},
    Meaning{"settings.optimizer.kernel", "how its step is computed"},
    Meaning{"settings.optimizer.library", "whose optimizers of few bits"},
    Meaning{"settings.optimizer.decay_groups", "norms and biases are stepped apart"},
    // torch.
    Meaning{"settings.torch.sync", "gradients are reduced in each or in the last microbatch"},
    Meaning{"settings.torch.bucket_view", "gradients are views of DDP's buckets"},
    Meaning{"settings.torch.static_graph", "DDP's static_graph"},
    Meaning{"settings.torch.bucket_cap_mb", "size of DDP's buckets"},
    Meaning{"settings.torch.small_first_bucket", "DDP's first bucket has 1 MiB"},
    Meaning{"settings.torch.set_to_none", "zero_grad frees gradients"},
    Meaning{"settings.torch.reshard", "FSDP2 frees gathered parameters after forward"},
    Meaning{"settings.torch.shard_grad_op", "FSDP1 splits gradients and optimizer only"},
    Meaning{"settings.torch.use_orig_params", "FSDP1's use_orig_params"},
    Meaning{"settings.torch.backward_prefetch", "when FSDP1 gathers the next unit in backward"},
    Meaning{"settings.torch.forward_prefetch", "FSDP1 gathers the next unit early in forward"},
    Meaning{"settings.torch.limit_all_gathers", "FSDP1 holds gathers back"},
    Meaning{"settings.torch.backend", "who issues TorchTitan's collectives"},
    // DeepSpeed.
    Meaning{"settings.deepspeed.reduce_bucket", "reduce_bucket_size, in elements"},
    Meaning{"settings.deepspeed.allgather_bucket", "allgather_bucket_size, in elements"},
    Meaning{"settings.deepspeed.overlap_comm", "reductions run beside backward"},
    Meaning{"settings.deepspeed.contiguous_gradients", "gradients are copied to one buffer"},
    Meaning{"settings.deepspeed.reduce_scatter", "reduce-scatter instead of all-reduce"},
    Meaning{"settings.deepspeed.multi_rank_buckets", "use_multi_rank_bucket_allreduce"},
    Meaning{"settings.deepspeed.round_robin", "round_robin_gradients"},
    Meaning{"settings.deepspeed.prefetch_bucket", "stage3_prefetch_bucket_size"},
    Meaning{"settings.deepspeed.persistence_threshold", "smaller parameters stay gathered"},
    Meaning{"settings.deepspeed.max_live", "stage3_max_live_parameters"},
    Meaning{"settings.deepspeed.max_reuse", "stage3_max_reuse_distance"},
    Meaning{"settings.deepspeed.sub_group", "parameters that the optimizer steps at a time"},
    Meaning{"settings.deepspeed.pin_memory", "host memory is page-locked"},
    Meaning{"settings.deepspeed.optimizer_stays_on_device", "offload of parameters alone"},
    Meaning{"settings.deepspeed.min_capacity", "rows of an expert of deepspeed.moe, at least"},
    // Megatron.
    Meaning{"settings.megatron.distributed_optimizer", "--use-distributed-optimizer"},
    Meaning{"settings.megatron.overlap_grad_reduce", "--overlap-grad-reduce"},
    Meaning{"settings.megatron.overlap_param_gather", "--overlap-param-gather"},
    Meaning{"settings.megatron.bucket_elements", "--ddp-bucket-size; 0: Megatron's own"},
    Meaning{"settings.megatron.tensor_overlap", "--tp-comm-overlap"},
    Meaning{"settings.megatron.expert_overlap", "all-to-alls run beside another microbatch"},
    Meaning{"settings.megatron.pad_buckets", "buckets are padded for the network"},
    Meaning{"settings.megatron.optimizer_instances", "copies of the distributed optimizer"},
    Meaning{"settings.megatron.vocab_padding", "--make-vocab-size-divisible-by"},
    Meaning{"settings.megatron.gradient_accumulation_fusion",
            "products add weight gradients to their buffer"},
    Meaning{"settings.megatron.reduce_scatter", "off: all of a gradient's sum goes to every rank"},
    Meaning{"settings.megatron.gather_slices", "gathered parameters are copied by rank and tensor"},
    // Adapters and the rest.
    Meaning{"settings.lora.rank", "rank of the adapters (--lora-rank)"},
    Meaning{"settings.lora.targets", "linear layers that are adapted: q+v; experts and router too"},
    Meaning{"settings.lora.dropout", "dropout before the adapters"},
    Meaning{"settings.lora.dtype", "type of the adapters"},
    Meaning{"settings.lora.dora", "DoRA: magnitudes are trained too"},
    Meaning{"settings.lora.base", "type of the frozen weights; nf4 is QLoRA"},
    Meaning{"settings.lora.double_quantization", "scales of the base are quantised too"},
    Meaning{"settings.lora.prepared_for_kbit", "peft's prepare_model_for_kbit_training"},
    // What a run does beside its steps.
    Meaning{"settings.phases.loading", "where the weights are before sharding: meta, cpu or gpu"},
    Meaning{"settings.outer.steps", "steps that sites train apart before one joins them; 0: never"},
    Meaning{"settings.outer.wire", "type that sites send of each parameter in an outer step"},
    Meaning{"settings.outer.overlap", "sites exchange while the next steps compute"},
    Meaning{"settings.outer.fragments", "parts of the model, exchanged one after another"},
    Meaning{"settings.outer.place", "where the outer optimizer's copy and momentum are kept"},
    Meaning{"settings.phases.evaluation_batch", "per_device_eval_batch_size; 0: no evaluation"},
    Meaning{"settings.phases.kept_logits",
            "batches whose logits an evaluation keeps on the GPU (compute_metrics)"},
    Meaning{"settings.phases.checkpoint", "sharded, full_cpu (unit by unit) or full on each GPU"},
    Meaning{"settings.engine", "who owns parameters and gradients; follows from the stack"},
    Meaning{"settings.tuning", "all weights are trained, or adapters (--tuning)"},
    Meaning{"settings.train", "the weights that are trained, the rest is frozen (--train)"},
    Meaning{"settings.reference", "a frozen bf16 copy beside the model: reference of DPO or GRPO"},
    Meaning{"settings.allocator",
            "PyTorch's caching allocator: expandable_segments has fewer gaps"},
    Meaning{"settings.max_split_size_mb",
            "PYTORCH_ALLOC_CONF: larger free blocks are not cut; 0: all may be"},
    Meaning{
        "settings.roundup_power2_divisions",
        "PYTORCH_ALLOC_CONF: sizes are rounded up to such a part of a power of two; 0: to 512 B"}};

}  // namespace

std::string_view meaningOf(std::string_view key) {
    const auto found = std::ranges::find(kMeanings, key, &Meaning::key);
    return found == kMeanings.end() ? std::string_view() : found->text;
}

}  // namespace fabricast
