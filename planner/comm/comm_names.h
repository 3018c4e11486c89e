#pragma once
#include "planner/comm/comm_call.h"
#include "planner/spec/names.h"

namespace fabricast {

// The names of calls as torch's operators and the recorded steps spell them.

constexpr auto namesOf(CommOp) {
    return std::to_array<Named<CommOp>>(
        {{CommOp::AllReduce, "all_reduce"},
         {CommOp::AllReduceCoalesced, "all_reduce_coalesced"},
         {CommOp::AllGather, "all_gather"},
         {CommOp::AllGatherCoalesced, "all_gather_coalesced"},
         {CommOp::AllGatherList, "all_gather_list"},
         {CommOp::ReduceScatter, "reduce_scatter"},
         {CommOp::ReduceScatterCoalesced, "reduce_scatter_coalesced"},
         {CommOp::ReduceScatterList, "reduce_scatter_list"},
         {CommOp::AllToAll, "all_to_all"},
         {CommOp::AllToAllList, "all_to_all_list"},
         {CommOp::Reduce, "reduce"},
         {CommOp::Broadcast, "broadcast"},
         {CommOp::Send, "send"},
         {CommOp::Recv, "recv"}});
}
constexpr auto namesOf(WireType) {
    return std::to_array<Named<WireType>>({{WireType::Fp64, "float64"},
                                           {WireType::Fp32, "float32"},
                                           {WireType::Bf16, "bfloat16"},
                                           {WireType::Fp16, "float16"},
                                           {WireType::Fp8, "float8"},
                                           {WireType::Int64, "int64"},
                                           {WireType::Int32, "int32"},
                                           {WireType::Uint8, "uint8"},
                                           {WireType::Bool, "bool"}});
}
constexpr auto namesOf(CommPhase) {
    return std::to_array<Named<CommPhase>>({{CommPhase::Forward, "forward"},
                                            {CommPhase::Recompute, "recompute"},
                                            {CommPhase::Backward, "backward"},
                                            {CommPhase::Clip, "clip"},
                                            {CommPhase::Optimizer, "optimizer"},
                                            {CommPhase::Other, "other"}});
}
constexpr auto namesOf(CommUse) {
    return std::to_array<Named<CommUse>>({{CommUse::ParameterGather, "parameters"},
                                          {CommUse::GradientReduce, "gradients"},
                                          {CommUse::SharedGradient, "shared gradients"},
                                          {CommUse::Activation, "activations"},
                                          {CommUse::InputRegather, "inputs again"},
                                          {CommUse::KeyValue, "keys and values"},
                                          {CommUse::Dispatch, "tokens to experts"},
                                          {CommUse::Routing, "routing"},
                                          {CommUse::StageExchange, "stage boundary"},
                                          {CommUse::Loss, "loss"},
                                          {CommUse::Bookkeeping, "bookkeeping"}});
}
constexpr auto namesOf(CommPlace) {
    return std::to_array<Named<CommPlace>>({{CommPlace::Attention, "attention"},
                                            {CommPlace::Mlp, "mlp"},
                                            {CommPlace::Experts, "experts"},
                                            {CommPlace::Block, "layer"},
                                            {CommPlace::Embedding, "embedding"},
                                            {CommPlace::Head, "head"},
                                            {CommPlace::Root, "root"},
                                            {CommPlace::Boundary, "boundary"},
                                            {CommPlace::Buckets, "buckets"},
                                            {CommPlace::Step, "step"}});
}
/// The axis of the layout of a group.
constexpr auto namesOf(GroupKind) {
    return std::to_array<Named<GroupKind>>({{GroupKind::Tensor, "tp"},
                                            {GroupKind::Context, "cp"},
                                            {GroupKind::Data, "dp"},
                                            {GroupKind::DataContext, "dp-cp"},
                                            {GroupKind::Pipeline, "pp"},
                                            {GroupKind::TensorContext, "tp-cp"},
                                            {GroupKind::Embedding, "embedding"},
                                            {GroupKind::ExpertTensor, "etp"},
                                            {GroupKind::Expert, "ep"},
                                            {GroupKind::ExpertTensorExpert, "etp-ep"},
                                            {GroupKind::ExpertData, "edp"},
                                            {GroupKind::Shard, "shard"},
                                            {GroupKind::Replicate, "replicate"},
                                            {GroupKind::ExpertShard, "expert-shard"},
                                            {GroupKind::ExpertReplicate, "expert-replicate"},
                                            {GroupKind::Stage, "stage"},
                                            {GroupKind::TensorPipeline, "tp-pp"},
                                            {GroupKind::ExpertModel, "expert-model"},
                                            {GroupKind::OptimizerInstance, "optimizer-instance"},
                                            {GroupKind::World, "world"},
                                            {GroupKind::ContextInner, "cp-inner"},
                                            {GroupKind::ContextOuter, "cp-outer"}});
}

}  // namespace fabricast
