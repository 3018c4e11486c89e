#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"
#include "planner/stack/torchtitan_rules.h"

#include <array>

namespace fabricast {
namespace {

// none is data_parallel_replicate_degree alone
constexpr std::array kShards = {Shard::Fsdp, Shard::Hsdp, Shard::None};
constexpr std::array kContext = {CpKind::AllGather, CpKind::Ring};
constexpr std::array kSchedules = {ScheduleKind::OneFOneB,
                                   ScheduleKind::Gpipe,
                                   ScheduleKind::Interleaved,
                                   ScheduleKind::LoopedBfs,
                                   ScheduleKind::InterleavedZb,
                                   ScheduleKind::ZbV,
                                   ScheduleKind::DualPipeV};
constexpr std::array kOffloads = {Offload::ParametersCpu};  // training.enable_cpu_offload
constexpr StackAxes kAxes{.tensor = true,
                          .sequence = true,
                          .pipeline = true,
                          .virtualPipeline = true,
                          .expert = true,
                          .context = kContext,
                          .shards = kShards,
                          .schedules = kSchedules,
                          .offloads = kOffloads};

// mixed_precision_param is bfloat16 or float32. AdamW is its own, Muon its DistMuon; torchao's
// AdamW takes its place through the optimizers container.
constexpr std::array kOptimizers = {
    OptimizerKind::AdamW, OptimizerKind::AdamW8bit, OptimizerKind::Muon};
constexpr std::array kCompute = {Dtype::Bf16, Dtype::Fp32};
constexpr std::array kRecompute = {Checkpointing::Selective, Checkpointing::Full};
constexpr StackMethods kMethods{.optimizers = kOptimizers,
                                .quantizations = kTorchaoLinears,
                                .compute = kCompute,
                                .recompute = kRecompute,
                                .lora = true};

// torchtitan 0.3: fp32 shards, bf16 compute, fp32 reduce-scatter in every micro-step, fused AdamW,
// SelectiveAC, sequence parallel with tp. PP reduces once and does not reshard (reshard "default").
Settings defaults(const Layout& layout) {
    Settings settings;
    settings.engine = layout.shard == Shard::None && layout.dp > 1 ? Engine::Ddp : Engine::Fsdp2;
    settings.kernels = torchtitanKernels();
    settings.precision = {.parameters = Dtype::Fp32,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Fp32,
                          .reduce = Dtype::Fp32,
                          .moments = Dtype::Fp32};
    settings.recompute.kind = Checkpointing::Selective;
    // pipeline_parallel_first_stage_less_layers and ..._last_stage_less_layers are 1
    settings.pipeline = {.embeddingWeight = 1, .headWeight = 1, .remainder = true};
    settings.optimizer.kernel = OptimizerKernel::Fused;
    settings.optimizer.library = LowBitLibrary::TorchAo;
    settings.torch.sync = GradientSync::EachMicroBatch;
    settings.torch.reshard = Reshard::Default;
    return settings;
}

Result<void> check(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(torchtitanStack(), scenario));
    FABRICAST_TRY(checkTorchtitanRules(scenario));
    return checkShardedOptimizer(scenario);
}

}  // namespace

Stack torchtitanStack() {
    return {.name = "torchtitan",
            .title = "TorchTitan",
            .description = "FSDP2 with tensor, pipeline, context and expert parallelism",
            .axes = kAxes,
            .methods = kMethods,
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
