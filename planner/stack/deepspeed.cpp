#include "planner/stack/deepspeed_rules.h"
#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

constexpr std::array kShards = {Shard::Zero3, Shard::Zero2, Shard::Zero1, Shard::None};
constexpr std::array kContext = {CpKind::Ulysses};
constexpr std::array kSchedules = {ScheduleKind::OneFOneB};  // PipelineModule's TrainSchedule
constexpr std::array kOffloads = {
    Offload::OptimizerCpu, Offload::OptimizerNvme, Offload::ParametersCpu, Offload::ParametersNvme};
constexpr StackAxes kAxes{.tensor = true,
                          .pipeline = true,
                          .expert = true,
                          .context = kContext,
                          .shards = kShards,
                          .schedules = kSchedules,
                          .offloads = kOffloads,
                          .checkOffload = &checkZeroOffload};

// Adam, Lion and Muon are DeepSpeed's; the others run with zero_allow_untested_optimizer. It has no
// 8-bit linears of its own.
constexpr StackMethods kMethods{.optimizers = kEveryOptimizer,
                                .compute = kEveryCompute,
                                .recompute = kWholeBlocks,
                                .lora = true,
                                .quantizedBase = true};

// bf16 enabled: 16-bit weights and gradients, fp32 master and moments, gradients accumulated and
// sent in the model's dtype. Bucket sizes are DeepSpeed's own, in elements; `overlap_comm` is None,
// which means on for stage 3 only; `pin_memory` is true since 0.19.1.
Settings defaults(const Layout& layout) {
    Settings settings;
    settings.engine = Engine::DeepSpeed;
    settings.kernels = huggingFaceKernels();
    settings.precision = {.parameters = Dtype::Bf16,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Bf16,
                          .reduce = Dtype::Bf16,
                          .masterWeights = true,
                          .moments = Dtype::Fp32};
    settings.optimizer.kernel = OptimizerKernel::DeepSpeed;  // FusedAdam, or DeepSpeedCPUAdam
    settings.deepspeed.overlapComm = layout.shard == Shard::Zero3;
    return settings;
}

Result<void> check(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(deepspeedStack(), scenario));
    FABRICAST_TRY(checkWorld(scenario));
    return checkDeepspeedRules(scenario);
}

}  // namespace

Stack deepspeedStack() {
    return {.name = "deepspeed",
            .title = "DeepSpeed ZeRO",
            .description =
                "ZeRO-1/2/3 by shard, ZeRO-Infinity by offload, Ulysses by "
                "cp_kind=ulysses, DeepSpeed-MoE by ep",
            .axes = kAxes,
            .methods = kMethods,
            .experts = ExpertPlace::InsideData,
            .defaults = &defaults,
            .check = &check};
}

}  // namespace fabricast
