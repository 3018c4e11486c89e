#pragma once
#include "planner/spec/names.h"
#include "planner/spec/settings.h"

namespace fabricast {

// The names in a scenario's "settings"; layout's and the shared ones are in names.h.

constexpr auto namesOf(ModelCode) {
    return std::to_array<Named<ModelCode>>({{ModelCode::Torch, "torch"},
                                            {ModelCode::HuggingFace, "huggingface"},
                                            {ModelCode::TorchTitan, "torchtitan"},
                                            {ModelCode::Megatron, "megatron"},
                                            {ModelCode::TransformerEngine, "transformer_engine"}});
}
constexpr auto namesOf(Engine) {
    return std::to_array<Named<Engine>>({{Engine::Local, "local"},
                                         {Engine::Ddp, "ddp"},
                                         {Engine::Fsdp1, "fsdp1"},
                                         {Engine::Fsdp2, "fsdp2"},
                                         {Engine::DeepSpeed, "deepspeed"},
                                         {Engine::Megatron, "megatron"},
                                         {Engine::MegatronFsdp, "megatron_fsdp"}});
}
constexpr auto namesOf(NormKernel) {
    return std::to_array<Named<NormKernel>>(
        {{NormKernel::Fused, "fused"}, {NormKernel::Fp32, "fp32"}, {NormKernel::Liger, "liger"}});
}
constexpr auto namesOf(RopeKernel) {
    return std::to_array<Named<RopeKernel>>({{RopeKernel::Complex, "complex"},
                                             {RopeKernel::CosSin, "cos_sin"},
                                             {RopeKernel::Liger, "liger"}});
}
constexpr auto namesOf(AttentionKernel) {
    return std::to_array<Named<AttentionKernel>>(
        {{AttentionKernel::Flash, "flash"}, {AttentionKernel::Unfused, "unfused"}});
}
constexpr auto namesOf(AttentionCode) {
    return std::to_array<Named<AttentionCode>>({{AttentionCode::Native, "native"},
                                                {AttentionCode::Flash2, "flash2"},
                                                {AttentionCode::Flash3, "flash3"},
                                                {AttentionCode::CuDnn, "cudnn"},
                                                {AttentionCode::Triton, "triton"},
                                                {AttentionCode::Math, "math"}});
}
constexpr auto namesOf(ActivationKernel) {
    return std::to_array<Named<ActivationKernel>>({{ActivationKernel::Eager, "eager"},
                                                   {ActivationKernel::Fused, "fused"},
                                                   {ActivationKernel::Liger, "liger"}});
}
constexpr auto namesOf(LossKernel) {
    return std::to_array<Named<LossKernel>>({{LossKernel::Fp32Upcast, "fp32_upcast"},
                                             {LossKernel::LogitsDtype, "logits_dtype"},
                                             {LossKernel::HuggingFace, "huggingface"},
                                             {LossKernel::Chunked, "chunked"},
                                             {LossKernel::VocabParallel, "vocab_parallel"},
                                             {LossKernel::Fused, "fused"},
                                             {LossKernel::Liger, "liger"}});
}
constexpr auto namesOf(ExpertKernel) {
    return std::to_array<Named<ExpertKernel>>({{ExpertKernel::Sequential, "sequential"},
                                               {ExpertKernel::Grouped, "grouped"},
                                               {ExpertKernel::GroupedFused, "grouped_fused"},
                                               {ExpertKernel::DeepSpeed, "deepspeed"},
                                               {ExpertKernel::AutoEp, "autoep"}});
}
constexpr auto namesOf(Dispatcher) {
    return std::to_array<Named<Dispatcher>>(
        {{Dispatcher::AllToAll, "alltoall"}, {Dispatcher::AllGather, "allgather"}});
}
constexpr auto namesOf(AuxLoss) {
    return std::to_array<Named<AuxLoss>>({{AuxLoss::None, "none"},
                                          {AuxLoss::Batch, "batch"},
                                          {AuxLoss::Sequence, "sequence"},
                                          {AuxLoss::Global, "global"}});
}
constexpr auto namesOf(Checkpointing) {
    return std::to_array<Named<Checkpointing>>({{Checkpointing::None, "none"},
                                                {Checkpointing::Full, "full"},
                                                {Checkpointing::Block, "block"},
                                                {Checkpointing::Selective, "selective"},
                                                {Checkpointing::Modules, "modules"}});
}
constexpr auto namesOf(GradientSync) {
    return std::to_array<Named<GradientSync>>({{GradientSync::EachMicroBatch, "each_micro_batch"},
                                               {GradientSync::LastMicroBatch, "last_micro_batch"}});
}
constexpr auto namesOf(Reshard) {
    return std::to_array<Named<Reshard>>(
        {{Reshard::Default, "default"}, {Reshard::Always, "always"}, {Reshard::Never, "never"}});
}
constexpr auto namesOf(TitanBackend) {
    return std::to_array<Named<TitanBackend>>({{TitanBackend::SpmdTypes, "spmd_types"},
                                               {TitanBackend::PartialDTensor, "partial_dtensor"},
                                               {TitanBackend::FullDTensor, "full_dtensor"}});
}
constexpr auto namesOf(OptimizerKernel) {
    return std::to_array<Named<OptimizerKernel>>({{OptimizerKernel::Fused, "fused"},
                                                  {OptimizerKernel::Foreach, "foreach"},
                                                  {OptimizerKernel::ForLoop, "for_loop"},
                                                  {OptimizerKernel::DeepSpeed, "deepspeed"},
                                                  {OptimizerKernel::BitsAndBytes, "bitsandbytes"}});
}
constexpr auto namesOf(BackwardPrefetch) {
    return std::to_array<Named<BackwardPrefetch>>({{BackwardPrefetch::None, "none"},
                                                   {BackwardPrefetch::Post, "post"},
                                                   {BackwardPrefetch::Pre, "pre"}});
}
constexpr auto namesOf(LowBitLibrary) {
    return std::to_array<Named<LowBitLibrary>>(
        {{LowBitLibrary::BitsAndBytes, "bitsandbytes"}, {LowBitLibrary::TorchAo, "torchao"}});
}
constexpr auto namesOf(Tuning) {
    return std::to_array<Named<Tuning>>({{Tuning::Full, "full"}, {Tuning::Lora, "lora"}});
}
constexpr auto namesOf(Reference) {
    return std::to_array<Named<Reference>>(
        {{Reference::None, "none"}, {Reference::Whole, "whole"}, {Reference::Sharded, "sharded"}});
}
constexpr auto namesOf(OuterPlace) {
    return std::to_array<Named<OuterPlace>>({{OuterPlace::Gpu, "gpu"}, {OuterPlace::Host, "host"}});
}
constexpr auto namesOf(Loading) {
    return std::to_array<Named<Loading>>(
        {{Loading::Meta, "meta"}, {Loading::Cpu, "cpu"}, {Loading::Gpu, "gpu"}});
}
constexpr auto namesOf(SavedWeights) {
    return std::to_array<Named<SavedWeights>>({{SavedWeights::Sharded, "sharded"},
                                               {SavedWeights::FullCpu, "full_cpu"},
                                               {SavedWeights::Full, "full"}});
}
constexpr auto namesOf(AllocatorKind) {
    return std::to_array<Named<AllocatorKind>>(
        {{AllocatorKind::Default, "default"},
         {AllocatorKind::ExpandableSegments, "expandable_segments"}});
}

}  // namespace fabricast
