#pragma once
#include "planner/spec/settings.h"

#include <cstdint>
#include <string_view>
#include <tuple>

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
// the members of each struct, so a setting cannot be forgotten here.

constexpr auto fieldsOf(const KernelSettings&) {
    using Group = KernelSettings;
    return std::tuple{Field{"code", &Group::code},
                      Field{"norm", &Group::norm},
                      Field{"rope", &Group::rope},
                      Field{"fused_qkv", &Group::fusedQkv},
                      Field{"attention", &Group::attention},
                      Field{"attention_code", &Group::attentionCode},
                      Field{"fp8_attention", &Group::fp8Attention},
                      Field{"document_tokens", &Group::documentTokens},
                      Field{"activation", &Group::activation},
                      Field{"loss", &Group::loss},
                      Field{"loss_chunks", &Group::lossChunks, 1, 65536},
                      Field{"position_ids", &Group::positionIds},
                      Field{"compile", &Group::compile},
                      Field{"cuda_graphs", &Group::cudaGraphs},
                      Field{"graph_experts", &Group::graphExperts},
                      Field{"linear_host", &Group::linearHost, 0, 100},
                      Field{"balanced_context", &Group::balancedContext},
                      Field{"fused_ops", &Group::fusedOps},
                      Field{"dropout", &Group::dropout, 0, 1},
                      Field{"deallocate_pipeline_outputs", &Group::deallocatePipelineOutputs},
                      Field{"quantization", &Group::quantization},
                      Field{"quantized_experts", &Group::quantizedExperts},
                      Field{"experts", &Group::experts},
                      Field{"fused_experts", &Group::fusedExperts},
                      Field{"dispatcher", &Group::dispatcher},
                      Field{"router_dtype", &Group::routerDtype},
                      Field{"aux_loss", &Group::auxLoss},
                      Field{"capacity_factor", &Group::capacityFactor, 0, 1024},
                      Field{"pad_to_capacity", &Group::padToCapacity},
                      Field{"dispatch_once_per_node", &Group::dispatchOncePerNode},
                      Field{"balanced_routing", &Group::balancedRouting},
                      Field{"imbalance", &Group::imbalance, 1, 1024}};
}
constexpr auto fieldsOf(const PrecisionSettings&) {
    using Group = PrecisionSettings;
    return std::tuple{Field{"parameters", &Group::parameters},
                      Field{"compute", &Group::compute},
                      Field{"autocast", &Group::autocast},
                      Field{"gradients", &Group::gradients},
                      Field{"reduce", &Group::reduce},
                      Field{"master_weights", &Group::masterWeights},
                      Field{"moments", &Group::moments},
                      Field{"master_remainder", &Group::masterRemainder}};
}
constexpr auto fieldsOf(const RecomputeSettings&) {
    using Group = RecomputeSettings;
    return std::tuple{Field{"kind", &Group::kind},
                      Field{"modules", &Group::modules},
                      Field{"layers", &Group::layers, 0, 1'000'000}};
}
constexpr auto fieldsOf(const PipelineSettings&) {
    using Group = PipelineSettings;
    return std::tuple{Field{"embedding_weight", &Group::embeddingWeight, 0, 1'000'000},
                      Field{"head_weight", &Group::headWeight, 0, 1'000'000},
                      Field{"first_stage_layers", &Group::firstStageLayers, 0, 1'000'000},
                      Field{"last_stage_layers", &Group::lastStageLayers, 0, 1'000'000},
                      Field{"serial_exchange", &Group::serialExchange},
                      Field{"scatter_exchange", &Group::scatterExchange},
                      Field{"remainder", &Group::remainder},
                      Field{"passes", &Group::passes, 1, 1'000'000}};
}
constexpr auto fieldsOf(const OptimizerSettings&) {
    using Group = OptimizerSettings;
    return std::tuple{Field{"kind", &Group::kind},
                      Field{"kernel", &Group::kernel},
                      Field{"library", &Group::library},
                      Field{"decay_groups", &Group::decayGroups}};
}
constexpr auto fieldsOf(const TorchSettings&) {
    using Group = TorchSettings;
    return std::tuple{Field{"sync", &Group::sync},
                      Field{"bucket_view", &Group::bucketView},
                      Field{"static_graph", &Group::staticGraph},
                      Field{"bucket_cap_mb", &Group::bucketCapMb, 1, 1'000'000},
                      Field{"small_first_bucket", &Group::smallFirstBucket},
                      Field{"set_to_none", &Group::setToNone},
                      Field{"reshard", &Group::reshard},
                      Field{"shard_grad_op", &Group::shardGradOp},
                      Field{"use_orig_params", &Group::useOrigParams},
                      Field{"backward_prefetch", &Group::backwardPrefetch},
                      Field{"forward_prefetch", &Group::forwardPrefetch},
                      Field{"limit_all_gathers", &Group::limitAllGathers},
                      Field{"backend", &Group::backend}};
}
constexpr auto fieldsOf(const DeepSpeedSettings&) {
    using Group = DeepSpeedSettings;
    return std::tuple{Field{"reduce_bucket", &Group::reduceBucket},
                      Field{"allgather_bucket", &Group::allgatherBucket},
                      Field{"overlap_comm", &Group::overlapComm},
                      Field{"contiguous_gradients", &Group::contiguousGradients},
                      Field{"reduce_scatter", &Group::reduceScatter},
                      Field{"multi_rank_buckets", &Group::multiRankBuckets},
                      Field{"round_robin", &Group::roundRobin},
                      Field{"prefetch_bucket", &Group::prefetchBucket},
                      Field{"persistence_threshold", &Group::persistenceThreshold},
                      Field{"max_live", &Group::maxLive},
                      Field{"max_reuse", &Group::maxReuse},
                      Field{"sub_group", &Group::subGroup},
                      Field{"pin_memory", &Group::pinMemory},
                      Field{"optimizer_stays_on_device", &Group::optimizerStaysOnDevice},
                      Field{"min_capacity", &Group::minCapacity, 0, 1'000'000}};
}
constexpr auto fieldsOf(const MegatronSettings&) {
    using Group = MegatronSettings;
    return std::tuple{Field{"distributed_optimizer", &Group::distributedOptimizer},
                      Field{"overlap_grad_reduce", &Group::overlapGradReduce},
                      Field{"overlap_param_gather", &Group::overlapParamGather},
                      Field{"bucket_elements", &Group::bucketElements},
                      Field{"tensor_overlap", &Group::tensorOverlap},
                      Field{"expert_overlap", &Group::expertOverlap},
                      Field{"pad_buckets", &Group::padBuckets},
                      Field{"optimizer_instances", &Group::optimizerInstances, 1, 1'000'000},
                      Field{"vocab_padding", &Group::vocabPadding, 1, 1'000'000},
                      Field{"gradient_accumulation_fusion", &Group::gradientAccumulationFusion},
                      Field{"reduce_scatter", &Group::reduceScatter},
                      Field{"gather_slices", &Group::gatherSlices}};
}
constexpr auto fieldsOf(const LoraSettings&) {
    using Group = LoraSettings;
    return std::tuple{Field{"rank", &Group::rank, 0, 1'000'000},
                      Field{"targets", &Group::targets},
                      Field{"dropout", &Group::dropout, 0, 1},
                      Field{"dtype", &Group::dtype},
                      Field{"dora", &Group::dora},
                      Field{"base", &Group::base},
                      Field{"double_quantization", &Group::doubleQuantization},
                      Field{"prepared_for_kbit", &Group::preparedForKbit}};
}
constexpr auto fieldsOf(const PhaseSettings&) {
    using Group = PhaseSettings;
    return std::tuple{Field{"loading", &Group::loading},
                      Field{"evaluation_batch", &Group::evaluationBatch, 0, 1'000'000},
                      Field{"kept_logits", &Group::keptLogits, 0, 1'000'000},
                      Field{"checkpoint", &Group::checkpoint}};
}
constexpr auto fieldsOf(const OuterSettings&) {
    using Group = OuterSettings;
    return std::tuple{Field{"steps", &Group::steps, 0, 1'000'000},
                      Field{"wire", &Group::wire},
                      Field{"overlap", &Group::overlap},
                      Field{"fragments", &Group::fragments, 1, 100'000},
                      Field{"place", &Group::place}};
}
/// The groups first, then the settings without a group.
constexpr auto fieldsOf(const Settings&) {
    return std::tuple{Field{"kernels", &Settings::kernels},
                      Field{"precision", &Settings::precision},
                      Field{"recompute", &Settings::recompute},
                      Field{"pipeline", &Settings::pipeline},
                      Field{"optimizer", &Settings::optimizer},
                      Field{"torch", &Settings::torch},
                      Field{"deepspeed", &Settings::deepspeed},
                      Field{"megatron", &Settings::megatron},
                      Field{"lora", &Settings::lora},
                      Field{"phases", &Settings::phases},
                      Field{"outer", &Settings::outer},
                      Field{"engine", &Settings::engine},
                      Field{"tuning", &Settings::tuning},
                      Field{"train", &Settings::train},
                      Field{"reference", &Settings::reference},
                      Field{"allocator", &Settings::allocator},
                      Field{"max_split_size_mb", &Settings::maxSplitMb, 0, 1'000'000},
                      Field{"roundup_power2_divisions", &Settings::roundupDivisions, 0, 256}};
}

/// True for a struct that has a table above, false for a plain setting.
template <class Value>
concept SettingGroup = requires(const Value& value) {
    fieldsOf(value);
};

/// Calls visit(field, value) for every member of a group, in the table's order.
///     eachField(settings, [&](const auto& field, auto& value) { … field.name … });
template <class Group, class Visit>
void eachField(Group& group, Visit&& visit) {
    std::apply([&](const auto&... field) { (visit(field, group.*(field.member)), ...); },
               fieldsOf(group));
}

}  // namespace fabricast
