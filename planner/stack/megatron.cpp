#include "planner/stack/model_code.h"
#include "planner/stack/rules.h"
#include "planner/stack/stack_list.h"
#include "planner/stack/torch_methods.h"

#include <array>

namespace fabricast {
namespace {

// zero1 is --use-distributed-optimizer, which every recipe sets; none is the parser's default.
constexpr std::array kMegatronShards = {Shard::Zero1, Shard::None};
// --cp-comm-type p2p, allgather, a2a, a2a+p2p
constexpr std::array kMegatronContext = {
    CpKind::Ring, CpKind::AllGather, CpKind::Ulysses, CpKind::Hierarchical};
constexpr std::array kMegatronSchedules = {ScheduleKind::OneFOneB, ScheduleKind::Interleaved};
constexpr std::array kMegatronOffloads = {Offload::OptimizerCpu, Offload::Activations};
constexpr std::array kMegatronPlacements = {RankPlacement::PpInside};  // --use-tp-pp-dp-mapping
constexpr StackAxes kMegatronAxes{.tensor = true,
                                  .sequence = true,
                                  .pipeline = true,
                                  .virtualPipeline = true,
                                  .expert = true,
                                  .expertTensor = true,
                                  .context = kMegatronContext,
                                  .shards = kMegatronShards,
                                  .schedules = kMegatronSchedules,
                                  .offloads = kMegatronOffloads,
                                  .offloadsIfAsked = true,
                                  .placements = kMegatronPlacements};

// --optimizer adam, sgd, lion, muon; --fp8-recipe tensorwise, blockwise, mxfp8; --fp4-format e2m1.
// pretrain_gpt.py has no adapters.
constexpr std::array kMegatronOptimizers = {OptimizerKind::AdamW,
                                            OptimizerKind::Sgd,
                                            OptimizerKind::SgdMomentum,
                                            OptimizerKind::Lion,
                                            OptimizerKind::Muon};
constexpr std::array kMegatronQuantizations = {Quantization::Fp8Tensorwise,
                                               Quantization::Fp8Blockwise,
                                               Quantization::MxFp8,
                                               Quantization::NvFp4};
constexpr StackMethods kMegatronMethods{.optimizers = kMegatronOptimizers,
                                        .quantizations = kMegatronQuantizations,
                                        .compute = kEveryCompute,
                                        .recompute = kMegatronRecompute};

// --bf16: bf16 weights; --accumulate-allreduce-grads-in-fp32 follows from it, so the gradient
// buffer and the wire are fp32; fp32 master and moments, split over dp-cp with the distributed
// optimizer. --overlap-grad-reduce is off by default.
Settings megatronDefaults(const Layout& layout, Tuning) {
    Settings settings;
    settings.engine = Engine::Megatron;
    settings.kernels = megatronKernels();
    settings.precision = {.parameters = Dtype::Bf16,
                          .compute = Dtype::Bf16,
                          .gradients = Dtype::Fp32,
                          .reduce = Dtype::Fp32,
                          .masterWeights = true,
                          .moments = Dtype::Fp32};
    settings.optimizer.kernel = OptimizerKernel::Fused;  // Transformer Engine's FusedAdam
    settings.megatron.distributedOptimizer = layout.shard != Shard::None;
    return settings;
}

Result<void> checkMegatron(const Scenario& scenario) {
    FABRICAST_TRY(checkCommon(megatronStack(), scenario));
    return checkMegatronRules(scenario);
}

}  // namespace

Stack megatronStack() {
    return {.name = "megatron",
            .title = "Megatron-LM / Megatron-Core",
            .description =
                "tensor, sequence, pipeline, context and expert parallelism; shard=zero1 "
                "is its distributed optimizer",
            .axes = kMegatronAxes,
            .methods = kMegatronMethods,
            .defaults = &megatronDefaults,
            .check = &checkMegatron};
}

}  // namespace fabricast
