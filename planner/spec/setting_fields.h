#pragma once
#include "planner/spec/settings.h"

#include <cstdint>
#include <string_view>

namespace fabricast {

/// One setting: its name in a scenario and where it lies in its group. Numbers have a range.
template <class Group, class Value>
struct Field {
    std::string_view name;
    Value Group::*member;
    double least = 0;
    double most = 1099511627776.0;  // 2^40: the largest accepted count of elements
};

// Not every compiler works these out for an aggregate.
template <class Group, class Value>
Field(std::string_view, Value Group::*) -> Field<Group, Value>;
template <class Group, class Value>
Field(std::string_view, Value Group::*, double, double) -> Field<Group, Value>;

// The one table of all settings, used by the code that reads, prints or lists them. A test counts
// the members of each struct, so a setting cannot be forgotten here. A table shows its rows one
// after the other: a tuple of them all took every source that includes this a second to compile.

template <class Row>
constexpr void fieldsOf(const KernelSettings&, Row&& row) {
    using Group = KernelSettings;
    row(Field{"code", &Group::code});
    row(Field{"norm", &Group::norm});
    row(Field{"rope", &Group::rope});
    row(Field{"fused_qkv", &Group::fusedQkv});
    row(Field{"attention", &Group::attention});
    row(Field{"attention_code", &Group::attentionCode});
    row(Field{"fp8_attention", &Group::fp8Attention});
    row(Field{"document_tokens", &Group::documentTokens});
    row(Field{"activation", &Group::activation});
    row(Field{"loss", &Group::loss});
    row(Field{"loss_chunks", &Group::lossChunks, 1, 65536});
    row(Field{"position_ids", &Group::positionIds});
    row(Field{"compile", &Group::compile});
    row(Field{"cuda_graphs", &Group::cudaGraphs});
    row(Field{"graph_experts", &Group::graphExperts});
    row(Field{"linear_host", &Group::linearHost, 0, 100});
    row(Field{"balanced_context", &Group::balancedContext});
    row(Field{"fused_ops", &Group::fusedOps});
    row(Field{"dropout", &Group::dropout, 0, 1});
    row(Field{"deallocate_pipeline_outputs", &Group::deallocatePipelineOutputs});
    row(Field{"quantization", &Group::quantization});
    row(Field{"quantized_experts", &Group::quantizedExperts});
    row(Field{"experts", &Group::experts});
    row(Field{"fused_experts", &Group::fusedExperts});
    row(Field{"dispatcher", &Group::dispatcher});
    row(Field{"router_dtype", &Group::routerDtype});
    row(Field{"aux_loss", &Group::auxLoss});
    row(Field{"capacity_factor", &Group::capacityFactor, 0, 1024});
    row(Field{"pad_to_capacity", &Group::padToCapacity});
    row(Field{"dispatch_once_per_node", &Group::dispatchOncePerNode});
    row(Field{"balanced_routing", &Group::balancedRouting});
    row(Field{"imbalance", &Group::imbalance, 1, 1024});
}
template <class Row>
constexpr void fieldsOf(const PrecisionSettings&, Row&& row) {
    using Group = PrecisionSettings;
    row(Field{"parameters", &Group::parameters});
    row(Field{"compute", &Group::compute});
    row(Field{"autocast", &Group::autocast});
    row(Field{"gradients", &Group::gradients});
    row(Field{"reduce", &Group::reduce});
    row(Field{"master_weights", &Group::masterWeights});
    row(Field{"moments", &Group::moments});
    row(Field{"master_remainder", &Group::masterRemainder});
    row(Field{"tf32", &Group::tf32});
}
template <class Row>
constexpr void fieldsOf(const RecomputeSettings&, Row&& row) {
    using Group = RecomputeSettings;
    row(Field{"kind", &Group::kind});
    row(Field{"modules", &Group::modules});
    row(Field{"layers", &Group::layers, 0, 1'000'000});
}
template <class Row>
constexpr void fieldsOf(const PipelineSettings&, Row&& row) {
    using Group = PipelineSettings;
    row(Field{"embedding_weight", &Group::embeddingWeight, 0, 1'000'000});
    row(Field{"head_weight", &Group::headWeight, 0, 1'000'000});
    row(Field{"first_stage_layers", &Group::firstStageLayers, 0, 1'000'000});
    row(Field{"last_stage_layers", &Group::lastStageLayers, 0, 1'000'000});
    row(Field{"serial_exchange", &Group::serialExchange});
    row(Field{"scatter_exchange", &Group::scatterExchange});
    row(Field{"remainder", &Group::remainder});
    row(Field{"passes", &Group::passes, 1, 1'000'000});
}
template <class Row>
constexpr void fieldsOf(const OptimizerSettings&, Row&& row) {
    using Group = OptimizerSettings;
    row(Field{"kind", &Group::kind});
    row(Field{"kernel", &Group::kernel});
    row(Field{"library", &Group::library});
    row(Field{"decay_groups", &Group::decayGroups});
}
template <class Row>
constexpr void fieldsOf(const TorchSettings&, Row&& row) {
    using Group = TorchSettings;
    row(Field{"sync", &Group::sync});
    row(Field{"bucket_view", &Group::bucketView});
    row(Field{"static_graph", &Group::staticGraph});
    row(Field{"bucket_cap_mb", &Group::bucketCapMb, 1, 1'000'000});
    row(Field{"small_first_bucket", &Group::smallFirstBucket});
    row(Field{"set_to_none", &Group::setToNone});
    row(Field{"reshard", &Group::reshard});
    row(Field{"one_unit", &Group::oneUnit});
    row(Field{"shard_grad_op", &Group::shardGradOp});
    row(Field{"use_orig_params", &Group::useOrigParams});
    row(Field{"backward_prefetch", &Group::backwardPrefetch});
    row(Field{"forward_prefetch", &Group::forwardPrefetch});
    row(Field{"limit_all_gathers", &Group::limitAllGathers});
    row(Field{"backend", &Group::backend});
    row(Field{"offload_stream", &Group::offloadStream});
}
template <class Row>
constexpr void fieldsOf(const DeepSpeedSettings&, Row&& row) {
    using Group = DeepSpeedSettings;
    row(Field{"reduce_bucket", &Group::reduceBucket});
    row(Field{"allgather_bucket", &Group::allgatherBucket});
    row(Field{"overlap_comm", &Group::overlapComm});
    row(Field{"contiguous_gradients", &Group::contiguousGradients});
    row(Field{"reduce_scatter", &Group::reduceScatter});
    row(Field{"multi_rank_buckets", &Group::multiRankBuckets});
    row(Field{"round_robin", &Group::roundRobin});
    row(Field{"prefetch_bucket", &Group::prefetchBucket});
    row(Field{"persistence_threshold", &Group::persistenceThreshold});
    row(Field{"max_live", &Group::maxLive});
    row(Field{"max_reuse", &Group::maxReuse});
    row(Field{"sub_group", &Group::subGroup});
    row(Field{"pin_memory", &Group::pinMemory});
    row(Field{"optimizer_stays_on_device", &Group::optimizerStaysOnDevice});
    row(Field{"min_capacity", &Group::minCapacity, 0, 1'000'000});
}
template <class Row>
constexpr void fieldsOf(const MegatronSettings&, Row&& row) {
    using Group = MegatronSettings;
    row(Field{"distributed_optimizer", &Group::distributedOptimizer});
    row(Field{"overlap_grad_reduce", &Group::overlapGradReduce});
    row(Field{"overlap_param_gather", &Group::overlapParamGather});
    row(Field{"bucket_elements", &Group::bucketElements});
    row(Field{"tensor_overlap", &Group::tensorOverlap});
    row(Field{"expert_overlap", &Group::expertOverlap});
    row(Field{"pad_buckets", &Group::padBuckets});
    row(Field{"optimizer_instances", &Group::optimizerInstances, 1, 1'000'000});
    row(Field{"vocab_padding", &Group::vocabPadding, 1, 1'000'000});
    row(Field{"gradient_accumulation_fusion", &Group::gradientAccumulationFusion});
    row(Field{"rope_fusion", &Group::ropeFusion});
    row(Field{"reduce_scatter", &Group::reduceScatter});
    row(Field{"gather_slices", &Group::gatherSlices});
    row(Field{"offloaded_layers", &Group::offloadedLayers, 0, 1'000'000});
    row(Field{"offload_fraction", &Group::offloadFraction, 0, 1});
}
template <class Row>
constexpr void fieldsOf(const LoraSettings&, Row&& row) {
    using Group = LoraSettings;
    row(Field{"rank", &Group::rank, 0, 1'000'000});
    row(Field{"targets", &Group::targets});
    row(Field{"dropout", &Group::dropout, 0, 1});
    row(Field{"dtype", &Group::dtype});
    row(Field{"dora", &Group::dora});
    row(Field{"base", &Group::base});
    row(Field{"double_quantization", &Group::doubleQuantization});
    row(Field{"prepared_for_kbit", &Group::preparedForKbit});
    row(Field{"modules_to_save", &Group::modulesToSave});
}
template <class Row>
constexpr void fieldsOf(const PhaseSettings&, Row&& row) {
    using Group = PhaseSettings;
    row(Field{"loading", &Group::loading});
    row(Field{"evaluation_batch", &Group::evaluationBatch, 0, 1'000'000});
    row(Field{"kept_logits", &Group::keptLogits, 0, 1'000'000});
    row(Field{"checkpoint", &Group::checkpoint});
}
template <class Row>
constexpr void fieldsOf(const OuterSettings&, Row&& row) {
    using Group = OuterSettings;
    row(Field{"steps", &Group::steps, 0, 1'000'000});
    row(Field{"wire", &Group::wire});
    row(Field{"overlap", &Group::overlap});
    row(Field{"fragments", &Group::fragments, 1, 100'000});
    row(Field{"place", &Group::place});
}
template <class Row>
constexpr void fieldsOf(const ReferenceSettings&, Row&& row) {
    using Group = ReferenceSettings;
    row(Field{"dtype", &Group::dtype});
    row(Field{"parameters", &Group::parameters});
    row(Field{"forward", &Group::forward});
}
template <class Row>
constexpr void fieldsOf(const NcclSettings&, Row&& row) {
    using Group = NcclSettings;
    constexpr double kMostBytes = 1 << 30;
    constexpr double kMostChannels = 64;
    row(Field{"buffer", &Group::buffer, 8192, kMostBytes});
    row(Field{"ll128_buffer", &Group::ll128Buffer, 8192, kMostBytes});
    row(Field{"ll_buffer", &Group::llBuffer, 8192, kMostBytes});
    row(Field{"min_channels", &Group::minChannels, 0, kMostChannels});
    row(Field{"max_channels", &Group::maxChannels, 1, kMostChannels});
    row(Field{"min_ctas", &Group::minCtas, 1, kMostChannels});
    row(Field{"max_ctas", &Group::maxCtas, 1, kMostChannels});
    row(Field{"p2p", &Group::p2p});
    row(Field{"ring", &Group::ring});
    row(Field{"tree", &Group::tree});
    row(Field{"nvls", &Group::nvls});
    row(Field{"nvls_chunk", &Group::nvlsChunk, 1024, kMostBytes});
    row(Field{"p2p_nvl_chunk", &Group::p2pNvlChunk, 1024, kMostBytes});
    row(Field{"p2p_pci_chunk", &Group::p2pPciChunk, 1024, kMostBytes});
    row(Field{"p2p_net_chunk", &Group::p2pNetChunk, 1024, kMostBytes});
}

/// The groups first, then the settings without a group.
template <class Row>
constexpr void fieldsOf(const Settings&, Row&& row) {
    row(Field{"kernels", &Settings::kernels});
    row(Field{"precision", &Settings::precision});
    row(Field{"recompute", &Settings::recompute});
    row(Field{"pipeline", &Settings::pipeline});
    row(Field{"optimizer", &Settings::optimizer});
    row(Field{"torch", &Settings::torch});
    row(Field{"deepspeed", &Settings::deepspeed});
    row(Field{"megatron", &Settings::megatron});
    row(Field{"lora", &Settings::lora});
    row(Field{"phases", &Settings::phases});
    row(Field{"outer", &Settings::outer});
    row(Field{"nccl", &Settings::nccl});
    row(Field{"reference_model", &Settings::referenceModel});
    row(Field{"engine", &Settings::engine});
    row(Field{"tuning", &Settings::tuning});
    row(Field{"train", &Settings::train});
    row(Field{"reference", &Settings::reference});
    row(Field{"allocator", &Settings::allocator});
    row(Field{"max_split_size_mb", &Settings::maxSplitMb, 0, 1'000'000});
    row(Field{"roundup_power2_divisions", &Settings::roundupDivisions, 0, 256});
}

/// What a table may be shown to.
struct FieldVisitor {
    void operator()(const auto& field) const;
};

/// True for a struct that has a table above, false for a plain setting.
template <class Value>
concept SettingGroup = requires(const Value& value, FieldVisitor visit) {
    fieldsOf(value, visit);
};

/// Calls visit(field, value) for every member of a group, in the table's order.
///     eachField(settings, [&](const auto& field, auto& value) { … field.name … });
template <class Group, class Visit>
void eachField(Group& group, Visit&& visit) {
    fieldsOf(group, [&](const auto& field) { visit(field, group.*(field.member)); });
}

}  // namespace fabricast
