#include "planner/estimate/estimate_step.h"

#include "planner/compute/kernel_times.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

struct Case {
    const char* stack;
    Layout layout;
};
class StepEstimates : public testing::TestWithParam<Case> {};

TEST_P(StepEstimates, PartsSumToTheStep) {
    const auto estimate =
        estimateStep(exampleRun(GetParam().stack, GetParam().layout), exampleTiming());
    ASSERT_TRUE(estimate) << estimate.error().text();
    EXPECT_GT(estimate->step.value.count(), 0.0);
    EXPECT_DOUBLE_EQ(estimate->parts.total(), estimate->step.value.count());
    for (const double part : estimate->parts.seconds) {
        EXPECT_GE(part, -1e-12);
    }
}

TEST_P(StepEstimates, ExposedSecondsOfCallsSumToTheirParts) {
    const StepEstimate estimate = estimated(exampleRun(GetParam().stack, GetParam().layout));
    TimeByPart exposed;
    for (const CommLine& line : estimate.comm) {
        exposed.of(line.part) += line.exposed;
        EXPECT_GT(line.groupSize, 1);
        EXPECT_GT(line.count, 0);
        EXPECT_GT(line.seconds, 0.0);
        EXPECT_GE(line.exposed, 0.0);
    }
    const auto& parts = estimate.parts;
    double all = 0.0;
    for (const TimePart part : {TimePart::Tensor,
                                TimePart::Context,
                                TimePart::Expert,
                                TimePart::Shard,
                                TimePart::Stage}) {
        EXPECT_NEAR(exposed.of(part), parts.of(part), 1e-9) << static_cast<int>(part);
        all += exposed.of(part);
    }
    EXPECT_NEAR(exposed.total(), all, 1e-9);
    EXPECT_EQ(estimate.comm.empty(), GetParam().layout.world() == 1);
}

// DDP sends its buffers to data parallel ranks.
TEST_P(StepEstimates, RanksThatSplitNoLayerTakeNoTensorParallelTime) {
    const StepEstimate estimate = estimated(exampleRun(GetParam().stack, GetParam().layout));
    if (GetParam().layout.tp == 1) {
        EXPECT_EQ(estimate.parts.of(TimePart::Tensor), 0.0);
    }
}

TEST_P(StepEstimates, TheIntervalHoldsTheValueAndMfuIsAShare) {
    const StepEstimate estimate = estimated(exampleRun(GetParam().stack, GetParam().layout));
    EXPECT_LE(estimate.step.lo, estimate.step.value);
    EXPECT_LE(estimate.step.value, estimate.step.hi);
    EXPECT_LT(estimate.step.lo, estimate.step.hi);
    ASSERT_TRUE(estimate.utilisation.mfu) << estimate.utilisation.why;
    EXPECT_GT(*estimate.utilisation.mfu, 0.05);
    EXPECT_LT(*estimate.utilisation.mfu, 1.0);
    EXPECT_NEAR(estimate.tokensPerSecond,
                estimate.tokensPerGpuSecond * double(GetParam().layout.world()),
                1e-6 * estimate.tokensPerSecond);
}

TEST_P(StepEstimates, NothingIsFasterThanTheTensorCores) {
    const Scenario scenario = exampleRun(GetParam().stack, GetParam().layout);
    const double tokens = 64.0 * 8192.0;
    const double least = 6.0 * 7.5e9 * tokens / (989e12 * double(scenario.layout.world()));
    EXPECT_GT(estimated(scenario).step.value.count(), least);
}

TEST_P(StepEstimates, TwiceTheBatchTakesTwiceTheWork) {
    Scenario scenario = exampleRun(GetParam().stack, GetParam().layout);
    const StepEstimate once = estimated(scenario);
    scenario.workload.globalBatch *= 2;
    const StepEstimate twice = estimated(scenario);
    EXPECT_NEAR(twice.parts.of(TimePart::Gemm), 2 * once.parts.of(TimePart::Gemm), 1e-9);
    EXPECT_LE(twice.step.value.count(), 2 * once.step.value.count() * (1 + 1e-9));
}

INSTANTIATE_TEST_SUITE_P(
    Stacks,
    StepEstimates,
    testing::Values(
        Case{"ddp", {.dp = 8, .microBatch = 1}},
        Case{"fsdp1", {.dp = 8, .shard = Shard::Fsdp, .microBatch = 1}},
        Case{"fsdp2", {.dp = 8, .shard = Shard::Fsdp, .microBatch = 1}},
        Case{"deepspeed", {.dp = 8, .shard = Shard::Zero2, .microBatch = 1}},
        Case{"deepspeed", {.dp = 8, .shard = Shard::Zero3, .microBatch = 1}},
        Case{"torchtitan", {.dp = 8, .tp = 4, .sp = true, .shard = Shard::Fsdp, .microBatch = 1}},
        Case{"megatron", {.dp = 4, .tp = 2, .sp = true, .shard = Shard::Zero1, .microBatch = 1}},
        Case{"megatron",
             {.dp = 4,
              .tp = 2,
              .sp = true,
              .pp = 4,
              .shard = Shard::Zero1,
              .microBatch = 1,
              .schedule = ScheduleKind::OneFOneB}},
        Case{"torchtitan",
             {.dp = 2, .tp = 2, .sp = true, .cp = 2, .shard = Shard::Fsdp, .microBatch = 1}},
        Case{"nemo",
             {.dp = 4,
              .tp = 2,
              .sp = true,
              .pp = 4,
              .vpp = 2,
              .shard = Shard::Zero1,
              .microBatch = 1,
              .schedule = ScheduleKind::Interleaved}}));

TEST(StepEstimate, EveryPartOfCommunicationHasItsCalls) {
    Scenario scenario = exampleRun("megatron",
                                   {.dp = 4,
                                    .tp = 2,
                                    .sp = true,
                                    .pp = 2,
                                    .cp = 2,
                                    .ep = 4,
                                    .shard = Shard::Zero1,
                                    .microBatch = 1,
                                    .schedule = ScheduleKind::OneFOneB});
    scenario.model.sparse.assign(32, true);
    scenario.model.moe = MoeSpec{};
    scenario.model.moe->experts = 8;
    scenario.model.moe->topK = 2;
    scenario.model.moe->expertWidth = 14336;
    const auto estimate = estimateStep(scenario, exampleTiming());
    ASSERT_TRUE(estimate) << estimate.error().text();
    TimeByPart exposed;
    for (const CommLine& line : estimate->comm) {
        exposed.of(line.part) += line.exposed;
    }
    for (const TimePart part : {TimePart::Tensor,
                                TimePart::Context,
                                TimePart::Expert,
                                TimePart::Shard,
                                TimePart::Stage}) {
        EXPECT_GT(exposed.of(part), 0.0) << static_cast<int>(part);
        EXPECT_NEAR(exposed.of(part), estimate->parts.of(part), 1e-9) << static_cast<int>(part);
    }
}

TEST(StepEstimate, RecomputingCostsAForward) {
    const Layout layout{.dp = 8, .shard = Shard::Fsdp, .microBatch = 1};
    Scenario scenario = exampleRun("fsdp2", layout);
    scenario.settings.recompute = {};
    const double none = estimated(scenario).parts.of(TimePart::Gemm);
    scenario.settings.recompute.kind = Checkpointing::Full;
    const double full = estimated(scenario).parts.of(TimePart::Gemm);
    EXPECT_GT(full, 1.25 * none);
    EXPECT_LT(full, 1.35 * none);
}

TEST(StepEstimate, LoraLeavesOutTheBasesWeightGradients) {
    const Layout layout{.dp = 8, .shard = Shard::Fsdp, .microBatch = 1};
    Scenario scenario = exampleRun("fsdp2", layout);
    const double full = estimated(scenario).parts.of(TimePart::Gemm);
    scenario.settings.tuning = Tuning::Lora;
    scenario.settings.lora.rank = 16;
    scenario.settings.lora.targets = {"q", "v"};
    EXPECT_LT(estimated(scenario).parts.of(TimePart::Gemm), 0.75 * full);
}

TEST(StepEstimate, SmallMicrobatchesWaitForTheHost) {
    Scenario scenario =
        exampleRun("megatron", {.dp = 1, .tp = 8, .sp = true, .shard = Shard::Zero1});
    scenario.workload = {.sequence = 512, .globalBatch = 64};
    const StepEstimate eager = estimated(scenario);
    EXPECT_GT(eager.parts.of(TimePart::Host), 0.2 * eager.step.value.count());
    scenario.settings.kernels.cudaGraphs = true;
    EXPECT_LT(estimated(scenario).step.value.count(), eager.step.value.count());
}

TEST(StepEstimate, ATypeThatTheGpuDoesNotMultiplyInIsAnError) {
    Scenario scenario = exampleRun("megatron", {.dp = 8, .shard = Shard::Zero1, .microBatch = 1});
    scenario.cluster = ProfileStore::builtIn().cluster("dgx-a100").value();
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    const auto estimate = estimateStep(scenario, exampleTiming());
    ASSERT_FALSE(estimate);
    EXPECT_EQ(estimate.error().where, "settings.kernels.quantization");
}

TEST(StepEstimate, SinglePrecisionIsSlower) {
    const Layout layout{.dp = 8, .shard = Shard::Fsdp, .microBatch = 1};
    Scenario scenario = exampleRun("fsdp2", layout);
    const double half = estimated(scenario).step.value.count();
    scenario.settings.precision.compute = Dtype::Fp32;
    EXPECT_GT(estimated(scenario).step.value.count(), 1.5 * half);
}

TEST(StepEstimate, AGpuThatNobodyMeasuredIsAnError) {
    Scenario scenario = exampleRun("ddp", {.dp = 8, .microBatch = 1});
    scenario.cluster.node.gpu.kernels.reset();
    const auto estimate = estimateStep(scenario, exampleTiming());
    ASSERT_FALSE(estimate);
    EXPECT_EQ(estimate.error().where, "cluster.gpu");
}

// Muon moves as many bytes as SGD with momentum. On top come the products for the four matrices of
// each of the 32 layers, a fourth of each on a rank of tensor parallelism.
TEST(EstimateStep, CountsMuonsNewtonSchulz) {
    const auto optimizerOf = [](OptimizerKind kind, const Layout& layout) {
        Scenario scenario = exampleRun("megatron", layout);
        scenario.settings.optimizer.kind = kind;
        return estimated(scenario).parts.of(TimePart::Optimizer);
    };
    const auto addedBy = [&](const Layout& layout) {
        return optimizerOf(OptimizerKind::Muon, layout) -
               optimizerOf(OptimizerKind::SgdMomentum, layout);
    };
    const Scenario example = exampleRun("megatron", {.dp = 2, .tp = 4});
    const KernelProfile& kernels = *example.cluster.node.gpu.kernels;
    const auto products = [&](std::int64_t rows, std::int64_t columns) {
        return newtonSchulzTime(kernels, rows, columns, {}).count();
    };
    const double layer = products(6144 / 4, 4096) + products(4096, 4096 / 4) +
                         products(2 * 14336 / 4, 4096) + products(4096, 14336 / 4);
    EXPECT_NEAR(addedBy({.dp = 2, .tp = 4}), 32 * layer, 1e-6);
    // The distributed optimizer divides the matrices over two ranks.
    EXPECT_NEAR(addedBy({.dp = 2, .tp = 4, .shard = Shard::Zero1}), 16 * layer, 1e-6);
}

// Gradients are complete in the last microbatch: their reduction hides behind its backward, and not
// behind those of the microbatches before it.
TEST(EstimateStep, OverlappedReductionsHideBehindOneBackward) {
    Scenario scenario = exampleRun("megatron", {.dp = 64, .shard = Shard::Zero1});
    scenario.workload = {.sequence = 512, .globalBatch = 512};
    scenario.settings.megatron.overlapGradReduce = true;
    scenario.settings.megatron.overlapParamGather = true;
    ASSERT_EQ(scenario.microBatches(), 8);
    const StepEstimate step = estimated(scenario);
    double all = 0.0;
    double waited = 0.0;
    for (const CommLine& line : step.comm) {
        const bool gradients = line.use == "gradients";
        all += gradients ? line.seconds : 0.0;
        waited += gradients ? line.exposed : 0.0;
    }
    const double backward = step.terms.backward.total();
    ASSERT_GT(all, backward);
    ASSERT_LT(all, 8 * backward);
    EXPECT_GE(waited, all - backward);
    EXPECT_EQ(step.terms.backward.of(TimePart::Shard), 0.0);
}

/// Each pass of a pipeline is timed: a step of millions is refused before anything is made for it.
TEST(EstimateStep, RefusesAStepOfMillionsOfPasses) {
    Scenario scenario = exampleRun("megatron", {.tp = 2, .pp = 4});
    scenario.layout.schedule = ScheduleKind::OneFOneB;
    scenario.workload.globalBatch = 125'000;
    EXPECT_TRUE(estimateStep(scenario, exampleTiming()));
    scenario.workload.globalBatch = 125'001;
    const auto refused = estimateStep(scenario, exampleTiming());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Error::Code::Unsupported);
    EXPECT_EQ(refused.error().why,
              "a step of 125001 microbatches through 4 stages is too long to be timed: 125000 at "
              "most");
}

/// A host half as fast takes twice as long for every module around a product too.
TEST(StepEstimate, OwnHostsAreAsFastInAllThatSoftwareDoes) {
    Scenario scenario = exampleRun("megatron", {.dp = 8, .shard = Shard::Zero1});
    TimingProfiles timing = exampleTiming();
    for (auto& [name, software] : timing.software) {
        for (Seconds* time : {&software.forwardLinear.plain, &software.backwardLinear.plain}) {
            *time = Seconds(1.0);  // nothing else matters
        }
    }
    const double usual = estimateStep(scenario, timing)->step.value.count();
    scenario.cluster.node.own.factors.of(MachineFactor::Host) = 0.5;
    EXPECT_NEAR(estimateStep(scenario, timing)->step.value.count() / usual, 2.0, 0.02);
}

}  // namespace
}  // namespace fabricast
