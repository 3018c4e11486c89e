#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fabricast {
namespace {

/// Eight experts, two of them for each token, one to a GPU of two nodes' four pairs.
Scenario expertRun(const std::string& stack, double imbalance) {
    const bool native = stack == "deepspeed";
    const Layout layout{.dp = 16,
                        .ep = 8,
                        .shard = native                ? Shard::Zero2
                                 : stack == "megatron" ? Shard::Zero1
                                                       : Shard::Fsdp};
    Scenario scenario = exampleRun(stack, layout);
    scenario.model.moe = MoeSpec{.experts = 8, .topK = 2, .expertWidth = 14336};
    scenario.model.sparse.assign(static_cast<std::size_t>(scenario.model.layers), true);
    scenario.settings = defaultSettings(*findStack(stack).value(), scenario.model, layout);
    scenario.settings.kernels.imbalance = imbalance;
    if (native) {
        scenario.settings.kernels.experts = ExpertKernel::DeepSpeed;
    }
    return scenario;
}

class ExpertLoad : public testing::TestWithParam<const char*> {};

TEST_P(ExpertLoad, TheBusiestRankDecides) {
    const StepEstimate even = estimated(expertRun(GetParam(), 1.0));
    StepEstimate before = even;
    for (const double imbalance : {1.2, 1.5, 2.0, 4.0}) {
        const StepEstimate uneven = estimated(expertRun(GetParam(), imbalance));
        EXPECT_GT(uneven.parts.of(TimePart::Expert), before.parts.of(TimePart::Expert));
        EXPECT_GT(uneven.parts.of(TimePart::Gemm), before.parts.of(TimePart::Gemm));
        before = uneven;
    }
    // Nearly all of the exchange is by the bytes: four times as many take about four times as long.
    EXPECT_NEAR(before.parts.of(TimePart::Expert) / even.parts.of(TimePart::Expert), 4.0, 0.6);
}

INSTANTIATE_TEST_SUITE_P(Stacks,
                         ExpertLoad,
                         testing::Values("megatron", "torchtitan", "deepspeed"));

TEST(ExpertLoadCases, AFixedCapacityIsAlwaysEven) {
    const auto run = [](double imbalance) {
        Scenario scenario = expertRun("megatron", imbalance);
        scenario.settings.kernels.capacityFactor = 1.0;
        scenario.settings.kernels.padToCapacity = true;
        return estimated(scenario);
    };
    EXPECT_GT(run(1.0).step.value.count(), 0.0);
    EXPECT_EQ(run(1.0).step.value, run(3.0).step.value);
}

TEST(ExpertLoadCases, NoRankGetsMoreThanItsCapacity) {
    const auto run = [](double imbalance, double capacity) {
        Scenario scenario = expertRun("megatron", imbalance);
        scenario.settings.kernels.capacityFactor = capacity;
        return estimated(scenario).step.value;
    };
    EXPECT_EQ(run(1.5, 1.0), run(1.0, 1.0));
    EXPECT_EQ(run(1.5, 1.25), run(1.25, 1.25));
    EXPECT_GT(run(1.5, 2.0).count(), run(1.25, 1.25).count());  // room for all
    EXPECT_GT(run(1.25, 1.25).count(), run(1.0, 1.25).count());
}

/// deepspeed.moe's layer sends and computes rows that no token fills.
TEST(ExpertLoadCases, DeepSpeedSendsItsCapacity) {
    const auto run = [](double capacity) {
        Scenario scenario = expertRun("deepspeed", 1.0);
        scenario.settings.kernels.capacityFactor = capacity;
        return estimated(scenario);
    };
    const StepEstimate tight = run(1.0);
    const StepEstimate wide = run(2.0);
    EXPECT_NEAR(wide.parts.of(TimePart::Expert) / tight.parts.of(TimePart::Expert), 2.0, 0.2);
    EXPECT_GT(wide.parts.of(TimePart::Gemm), tight.parts.of(TimePart::Gemm));
}

TEST(ExpertLoadCases, DroppedTokensAreNotUsed) {
    Scenario scenario = expertRun("megatron", 1.0);
    const auto perToken = [&scenario](double capacity) {
        scenario.settings.kernels.capacityFactor = capacity;
        return estimated(scenario).utilisation.perToken.count();
    };
    // Two experts of three matrices in each layer, three products of two FLOPs each:
    const double experts = 32.0 * 2 * 3 * 4096 * 14336 * 6;
    const double all = perToken(0);
    EXPECT_EQ(perToken(1.0), all);
    EXPECT_EQ(perToken(2.0), all);
    EXPECT_NEAR(all - perToken(0.75), experts / 4, experts * 1e-9);
    EXPECT_NEAR(all - perToken(0.5), experts / 2, experts * 1e-9);
}

TEST(ExpertLoadCases, APeakThatKernelsPassIsNamed) {
    Scenario scenario = expertRun("megatron", 1.0);
    ASSERT_TRUE(estimated(scenario).utilisation.mfu);
    scenario.cluster.node.gpu.densePeak["bf16"].value = FlopsPerSecond(1e9);
    const Utilisation use = estimated(scenario).utilisation;
    EXPECT_FALSE(use.mfu);
    EXPECT_NE(use.why.find("1 GFLOP/s, is less than its kernels reach"), std::string::npos)
        << use.why;
    EXPECT_NE(use.why.find("correct dense_peak.bf16"), std::string::npos) << use.why;
}

TEST(ExpertLoadCases, ALoadBelowTheEvenShareDoesNotShortenTheExchange) {
    const StepEstimate even = estimated(expertRun("megatron", 1.0));
    const StepEstimate lucky = estimated(expertRun("megatron", 0.5));
    EXPECT_EQ(lucky.parts.of(TimePart::Expert), even.parts.of(TimePart::Expert));
}

/// 16 small experts of 128 on every rank: issuing them takes longer than they do.
Scenario manyExperts() {
    Scenario scenario = expertRun("megatron", 1.0);
    scenario.model.moe = MoeSpec{.experts = 128, .topK = 8, .expertWidth = 256};
    scenario.workload = {.sequence = 1024, .globalBatch = 64};
    return scenario;
}

TEST(ExpertHost, OnlyGraphsOfWholeIterationsLaunchALoopOverExperts) {
    Scenario scenario = manyExperts();
    const auto host = [&scenario] { return estimated(scenario).parts.of(TimePart::Host); };
    const double eager = host();
    scenario.settings.kernels.cudaGraphs = true;
    const double layers = host();
    scenario.settings.kernels.graphExperts = true;
    const double whole = host();
    EXPECT_GT(eager, layers);
    EXPECT_GT(layers, 2.0 * whole);
    EXPECT_GT(whole, 0.0);  // the training loop's
}

TEST(ExpertHost, ADroplessRouterIsWaitedFor) {
    Scenario scenario = expertRun("megatron", 1.0);  // large experts: the host is ahead of them
    const double dropless = estimated(scenario).parts.of(TimePart::Host);
    scenario.settings.kernels.capacityFactor = 1.0;
    scenario.settings.kernels.padToCapacity = true;
    EXPECT_GT(dropless, estimated(scenario).parts.of(TimePart::Host));
}

TEST(ExpertHost, BiasesOfExpertsTakeTime) {
    Scenario scenario = expertRun("megatron", 1.0);
    const StepEstimate plain = estimated(scenario);
    scenario.model.moe->expertBias = true;
    const StepEstimate biased = estimated(scenario);
    EXPECT_GT(biased.parts.of(TimePart::MemoryBound), plain.parts.of(TimePart::MemoryBound));
    EXPECT_EQ(biased.parts.of(TimePart::Gemm), plain.parts.of(TimePart::Gemm));
}

// The same in twice the bytes, and casts; its product of a row and a column has two types.
TEST(ExpertHost, BiasesUnderProbabilitiesInFp32TakeLonger) {
    Scenario scenario = expertRun("megatron", 1.0);
    const auto memory = [&scenario] { return estimated(scenario).parts.of(TimePart::MemoryBound); };
    const auto biases = [&] {
        scenario.model.moe->expertBias = false;
        const double plain = memory();
        scenario.model.moe->expertBias = true;
        return memory() - plain;
    };
    const double narrow = biases();
    scenario.settings.kernels.routerDtype = Dtype::Fp32;
    EXPECT_GT(biases(), 2.0 * narrow);
}

TEST(ExpertHost, ARecomputedActivationIsClampedAgain) {
    Scenario scenario = expertRun("megatron", 1.0);
    const auto memory = [&scenario] { return estimated(scenario).parts.of(TimePart::MemoryBound); };
    const auto again = [&] {
        scenario.settings.recompute = {};
        const double once = memory();
        scenario.settings.recompute = {.kind = Checkpointing::Modules, .modules = {"moe_act"}};
        return memory() - once;
    };
    const double activation = again();
    scenario.model.moe->clampedGlu = true;
    EXPECT_GT(again(), 2.0 * activation);
}

// Transformer Engine's Fp8Padding and Fp8Unpadding.
TEST(ExpertHost, RowsOfExpertsArePaddedForProductsInFewerBits) {
    Scenario scenario = expertRun("megatron", 1.0);
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    const auto memory = [&scenario] { return estimated(scenario).parts.of(TimePart::MemoryBound); };
    const double padded = memory();
    scenario.settings.kernels.capacityFactor = 1.0;
    scenario.settings.kernels.padToCapacity = true;
    EXPECT_LT(memory(), padded);
}

TEST(ExpertHost, ClampedActivationsTakeTime) {
    Scenario scenario = expertRun("megatron", 1.0);
    const double plain = estimated(scenario).parts.of(TimePart::MemoryBound);
    scenario.model.moe->clampedGlu = true;
    EXPECT_GT(estimated(scenario).parts.of(TimePart::MemoryBound), plain);
}

// What the host does for a layer counts where the GPU is done sooner, and without a wait for the
// router's counts the host runs ahead.
TEST(ExpertHost, ALayerOfSmallExpertsWaitsForItsHost) {
    Scenario scenario = manyExperts();
    const auto host = [&scenario] { return estimated(scenario).parts.of(TimePart::Host); };
    const double dropless = host();
    scenario.settings.kernels.capacityFactor = 1.0;
    scenario.settings.kernels.padToCapacity = true;
    const double layers = static_cast<double>(scenario.model.layers);
    EXPECT_GT(dropless - host(), layers * 1e-3);
}

TEST(FusedExperts, LeaveTheirProductsAlone) {
    Scenario scenario = manyExperts();
    scenario.model.moe->expertBias = true;
    scenario.settings.kernels.graphExperts = scenario.settings.kernels.cudaGraphs = true;
    const StepEstimate apart = estimated(scenario);
    scenario.settings.kernels.fusedExperts = true;
    const StepEstimate fused = estimated(scenario);
    EXPECT_LT(fused.parts.of(TimePart::MemoryBound), apart.parts.of(TimePart::MemoryBound));
    EXPECT_LE(fused.parts.of(TimePart::Gemm), apart.parts.of(TimePart::Gemm));
    EXPECT_GT(fused.parts.of(TimePart::Gemm), 0.5 * apart.parts.of(TimePart::Gemm));
}

// Sequences too short for the GPU to be the limit.
TEST(LinearHost, QuantisedModulesKeepTheHostBusyLonger) {
    Scenario scenario = exampleRun("megatron", {.dp = 8, .shard = Shard::Zero1});
    scenario.workload.sequence = 128;
    const auto host = [&scenario] { return estimated(scenario).parts.of(TimePart::Host); };
    const double plain = host();
    scenario.settings.kernels.linearHost = 2.0;
    const double slower = host();
    EXPECT_GT(slower, plain);
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    EXPECT_GT(host(), slower);
    scenario.settings.kernels.cudaGraphs = true;
    EXPECT_LT(host(), plain);
}

TEST(RowwiseScales, SlowProductsDown) {
    Scenario scenario = exampleRun("torchtitan", {.dp = 8, .shard = Shard::Fsdp});
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    const double tensorwise = estimated(scenario).parts.of(TimePart::Gemm);
    scenario.settings.kernels.quantization = Quantization::Fp8Rowwise;
    const double rowwise = estimated(scenario).parts.of(TimePart::Gemm);
    EXPECT_GT(rowwise, 1.15 * tensorwise);  // the head stays in bf16
    EXPECT_LT(rowwise, 1.3 * tensorwise);
}

TEST(FusedOps, SaveTheCastsOfTheActivation) {
    Scenario scenario = exampleRun("megatron", {.dp = 8, .shard = Shard::Zero1});
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    const StepEstimate apart = estimated(scenario);
    scenario.settings.kernels.fusedOps = true;
    const StepEstimate fused = estimated(scenario);
    EXPECT_LT(fused.parts.of(TimePart::MemoryBound), apart.parts.of(TimePart::MemoryBound));
    EXPECT_EQ(fused.parts.of(TimePart::Gemm), apart.parts.of(TimePart::Gemm));
}

TEST(Fp8Attention, RunsAtTheRateMeasuredInFp8) {
    Scenario scenario = exampleRun("megatron", {.dp = 8, .shard = Shard::Zero1});
    scenario.settings.kernels.quantization = Quantization::Fp8Tensorwise;
    scenario.workload.sequence = 8192;
    const StepEstimate wide = estimated(scenario);
    scenario.settings.kernels.fp8Attention = true;
    const StepEstimate narrow = estimated(scenario);
    EXPECT_LT(narrow.parts.of(TimePart::Attention), wide.parts.of(TimePart::Attention));
    EXPECT_GT(narrow.parts.of(TimePart::Attention), 0.5 * wide.parts.of(TimePart::Attention));
    EXPECT_EQ(narrow.parts.of(TimePart::Gemm), wide.parts.of(TimePart::Gemm));
}

TEST(ExpertExchange, ARowIsSentOnceToARankWithSeveralOfItsExperts) {
    Scenario scenario = manyExperts();
    scenario.layout.dp = 8;
    scenario.cluster.nodes = 1;
    scenario.workload.sequence = 16384;
    const double plain = estimated(scenario).parts.of(TimePart::Expert);
    scenario.settings.kernels.dispatchOncePerNode = true;
    // 8 of 128 experts lie on 8 · (1 − 112·…·105 / (128·…·121)) = 5.34 of 8 ranks.
    EXPECT_NEAR(estimated(scenario).parts.of(TimePart::Expert) / plain, 5.34 / 8.0, 0.05);
}

TEST(Pipeline, ExchangesOneAfterTheOtherTakeTwiceAsLong) {
    Scenario scenario = exampleRun(
        "megatron",
        {.dp = 4, .tp = 2, .pp = 4, .shard = Shard::Zero1, .schedule = ScheduleKind::OneFOneB});
    const double atOnce = estimated(scenario).parts.of(TimePart::Stage);
    scenario.settings.pipeline.serialExchange = true;
    EXPECT_NEAR(estimated(scenario).parts.of(TimePart::Stage) / atOnce, 2.0, 0.1);
}

TEST(Pipeline, RanksOfATensorGroupSendAPartEach) {
    Scenario scenario = exampleRun(
        "megatron",
        {.dp = 2, .tp = 8, .pp = 4, .shard = Shard::Zero1, .schedule = ScheduleKind::OneFOneB});
    const double whole = estimated(scenario).parts.of(TimePart::Stage);
    scenario.settings.pipeline.scatterExchange = true;
    const StepEstimate scattered = estimated(scenario);
    // An eighth over the network, and a gather over NVLink.
    EXPECT_GT(scattered.parts.of(TimePart::Stage), whole / 8.0);
    EXPECT_LT(scattered.parts.of(TimePart::Stage), whole / 2.0);
    EXPECT_TRUE(std::ranges::any_of(scattered.comm, [](const CommLine& line) {
        return line.part == TimePart::Stage && line.axis == "tp" && line.collective == "all_gather";
    }));
    scenario.layout.sp = true;  // each rank holds its own tokens
    const double own = estimated(scenario).parts.of(TimePart::Stage);
    scenario.settings.pipeline.scatterExchange = false;
    EXPECT_EQ(estimated(scenario).parts.of(TimePart::Stage), own);
}

TEST(Ring, SendsWhileItReceives) {
    Scenario scenario =
        exampleRun("megatron", {.dp = 2, .cp = 4, .cpKind = CpKind::Ring, .shard = Shard::Zero1});
    const StepEstimate step = estimated(scenario);
    double sent = 0.0;
    double received = 0.0;
    for (const CommLine& line : step.comm) {
        if (line.part == TimePart::Context) {
            (line.collective == "send" ? sent : received) += line.seconds;
        }
    }
    EXPECT_GT(sent, 0.0);
    EXPECT_EQ(sent, received);
    // Each way is at least 5/6 of what NVLink carries: half as long as if they took turns.
    double bytes = 0.0;
    for (const CommLine& line : step.comm) {
        if (line.part == TimePart::Context && line.collective == "send") {
            bytes += static_cast<double>(line.bytes.count() * line.count);
        }
    }
    EXPECT_LT(sent + received, 1.5 * bytes / 150e9);
}

TEST(Placement, PipelineInsideSwapsWhatCrossesTheNetwork) {
    Scenario scenario = exampleRun(
        "megatron",
        {.dp = 4, .tp = 2, .pp = 4, .shard = Shard::Zero1, .schedule = ScheduleKind::OneFOneB});
    const auto crosses = [&scenario](std::string_view axis) {
        const StepEstimate step = estimated(scenario);
        return std::ranges::any_of(step.comm, [axis](const CommLine& line) {
            return line.axis == axis && line.betweenNodes;
        });
    };
    EXPECT_TRUE(crosses("pp"));
    EXPECT_FALSE(crosses("shard"));
    scenario.layout.placement = RankPlacement::PpInside;
    EXPECT_FALSE(crosses("pp"));
    EXPECT_TRUE(crosses("shard"));
}

}  // namespace
}  // namespace fabricast
