#pragma once
#include "planner/base/enum_names.h"
#include "planner/spec/dtype.h"
#include "planner/spec/layout.h"
#include "planner/spec/settings.h"

#include <array>

namespace fabricast {

/// The names of an enumeration's values: one table per enumeration, read by parsers and printers.
///     for (const auto& [value, name] : namesOf(Shard{})) { … }
constexpr auto namesOf(Shard) {
    return std::to_array<Named<Shard>>({{Shard::None, "none"},
                                        {Shard::Zero1, "zero1"},
                                        {Shard::Zero2, "zero2"},
                                        {Shard::Zero3, "zero3"},
                                        {Shard::Fsdp, "fsdp"},
                                        {Shard::Hsdp, "hsdp"}});
}
constexpr auto namesOf(CpKind) {
    return std::to_array<Named<CpKind>>({{CpKind::Ring, "ring"},
                                         {CpKind::AllGather, "allgather"},
                                         {CpKind::Ulysses, "ulysses"},
                                         {CpKind::Hierarchical, "hierarchical"}});
}
constexpr auto namesOf(ScheduleKind) {
    return std::to_array<Named<ScheduleKind>>({{ScheduleKind::None, "none"},
                                               {ScheduleKind::Gpipe, "gpipe"},
                                               {ScheduleKind::OneFOneB, "1f1b"},
                                               {ScheduleKind::Interleaved, "interleaved"},
                                               {ScheduleKind::LoopedBfs, "looped_bfs"},
                                               {ScheduleKind::InterleavedZb, "interleaved_zb"},
                                               {ScheduleKind::ZbH1, "zb_h1"},
                                               {ScheduleKind::ZbH2, "zb_h2"},
                                               {ScheduleKind::ZbV, "zb_v"},
                                               {ScheduleKind::VHalf, "v_half"},
                                               {ScheduleKind::VMin, "v_min"},
                                               {ScheduleKind::DualPipe, "dualpipe"},
                                               {ScheduleKind::DualPipeV, "dualpipe_v"}});
}
constexpr auto namesOf(Offload) {
    return std::to_array<Named<Offload>>({{Offload::None, "none"},
                                          {Offload::OptimizerCpu, "optimizer_cpu"},
                                          {Offload::OptimizerNvme, "optimizer_nvme"},
                                          {Offload::ParametersCpu, "parameters_cpu"},
                                          {Offload::ParametersNvme, "parameters_nvme"},
                                          {Offload::Activations, "activations"}});
}
constexpr auto namesOf(RankPlacement) {
    return std::to_array<Named<RankPlacement>>(
        {{RankPlacement::DpInside, "dp_inside"}, {RankPlacement::PpInside, "pp_inside"}});
}
constexpr auto namesOf(Dtype) {
    return std::to_array<Named<Dtype>>({{Dtype::Fp32, "fp32"},
                                        {Dtype::Bf16, "bf16"},
                                        {Dtype::Fp16, "fp16"},
                                        {Dtype::Fp8, "fp8"},
                                        {Dtype::Fp4, "fp4"},
                                        {Dtype::Int8, "int8"},
                                        {Dtype::Nf4, "nf4"}});
}
constexpr auto namesOf(OptimizerKind) {
    return std::to_array<Named<OptimizerKind>>({{OptimizerKind::AdamW, "adamw"},
                                                {OptimizerKind::AdamW8bit, "adamw_8bit"},
                                                {OptimizerKind::AdamW4bit, "adamw_4bit"},
                                                {OptimizerKind::AdamWFp8, "adamw_fp8"},
                                                {OptimizerKind::PagedAdamW8bit, "paged_adamw_8bit"},
                                                {OptimizerKind::Adafactor, "adafactor"},
                                                {OptimizerKind::Lion, "lion"},
                                                {OptimizerKind::Lion8bit, "lion_8bit"},
                                                {OptimizerKind::Sgd, "sgd"},
                                                {OptimizerKind::SgdMomentum, "sgd_momentum"},
                                                {OptimizerKind::Muon, "muon"}});
}
constexpr auto namesOf(Quantization) {
    return std::to_array<Named<Quantization>>({{Quantization::None, "none"},
                                               {Quantization::Fp8Tensorwise, "fp8_tensorwise"},
                                               {Quantization::Fp8Rowwise, "fp8_rowwise"},
                                               {Quantization::Fp8RowwiseGwHp, "fp8_rowwise_gw_hp"},
                                               {Quantization::Fp8Blockwise, "fp8_blockwise"},
                                               {Quantization::MxFp8, "mxfp8"},
                                               {Quantization::NvFp4, "nvfp4"}});
}

}  // namespace fabricast
