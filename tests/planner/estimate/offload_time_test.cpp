#include "planner/estimate/offload_time.h"

#include "planner/estimate/drive_time.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

Scenario deepspeedRun(Shard shard, Offload offload) {
    return exampleRun("deepspeed", {.dp = 8, .shard = shard, .offload = offload});
}

double optimizerOf(const Scenario& scenario) {
    return estimated(scenario).parts.of(TimePart::Optimizer);
}

TEST(OffloadTime, TheCpusStepEveryParameterOfTheNode) {
    const Scenario scenario = deepspeedRun(Shard::Zero3, Offload::ParametersCpu);
    // 8.03e9 parameters x 28 B over 614.4 GB/s x 0.124: 2.95 s; nothing is copied back.
    const double seconds = hostStepSeconds(scenario, exampleTiming().host, 8.03e9 / 8.0);
    EXPECT_NEAR(seconds, 8.03e9 * 28.0 / (614.4e9 * 0.124), 1e-6);
    EXPECT_NEAR(optimizerOf(scenario), seconds, 0.01);
}

TEST(OffloadTime, ZeroSendsWeightsBack) {
    const HostProfile& host = exampleTiming().host;
    const double moved =
        hostStepSeconds(deepspeedRun(Shard::Zero2, Offload::OptimizerCpu), host, 1e9);
    const double kept =
        hostStepSeconds(deepspeedRun(Shard::Zero3, Offload::ParametersCpu), host, 1e9);
    // 1e9 parameters of 2 bytes over a Gen5 x16 link of 63 GB/s at 0.75.
    EXPECT_NEAR(moved - kept, 2e9 / (63e9 * 0.75), 2e-3);
}

TEST(OffloadTime, TakesAtLeastAsLongAsWithout) {
    for (const Shard shard : {Shard::Zero1, Shard::Zero2, Shard::Zero3}) {
        const double without = estimated(deepspeedRun(shard, Offload::None)).step.value.count();
        const Scenario with = deepspeedRun(shard, Offload::OptimizerCpu);
        EXPECT_GT(estimated(with).step.value.count(), without + 2.0);
    }
    Scenario fsdp = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    const double without = estimated(fsdp).step.value.count();
    fsdp.layout.offload = Offload::ParametersCpu;
    EXPECT_GT(estimated(fsdp).step.value.count(), without + 5.0);
    EXPECT_EQ(estimated(fsdp).notes.size(), 1U);
}

// Each way by the link of the GPU, and the kernels wait: the copies are in their order.
TEST(OffloadTime, ActivationsAreCopiedBetweenTheKernels) {
    Scenario run = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    const double without = estimated(run).step.value.count();
    run.layout.offload = Offload::Activations;
    const StepEstimate with = estimated(run);
    EXPECT_GT(with.step.value.count(), without);
    EXPECT_EQ(with.notes.size(), 1U);
    EXPECT_FALSE(stepsOnHost(run));
    // 63 GB of a Gen5 x16 link of 63 GB/s at 0.75.
    EXPECT_NEAR(packedSeconds(run, exampleTiming().host, {.bytes = 63e9}), 1.0 / 0.75, 1e-2);
    run.settings.recompute.kind = Checkpointing::Full;  // of a layer its input alone
    EXPECT_LT(estimated(run).step.value.count(), with.step.value.count());
}

// Each layer's copies run beside the layers of its window: of 8 of 32 beside four layers each
// (three for the first, whose copies begin behind the first layer), of 31 beside one.
TEST(OffloadTime, TransformerEngineCopiesBesideTheLayers) {
    Scenario run = exampleRun("megatron", {.dp = 8, .offload = Offload::Activations});
    run.settings.megatron.offloadedLayers = 8;
    const double copy = 1e9 / (63e9 * 0.75);
    const auto exposed = [&](double layer) {
        return packedSeconds(
            run, exampleTiming().host, {.bytes = 32e9, .layerSeconds = layer * copy});
    };
    EXPECT_NEAR(exposed(0.0), 8 * copy, 1e-9);
    EXPECT_NEAR(exposed(0.3), 0.1 * copy, 1e-9);
    EXPECT_NEAR(exposed(0.2), (0.4 + 7 * 0.2) * copy, 1e-9);
    EXPECT_EQ(exposed(0.4), 0.0);
    run.settings.megatron.offloadedLayers = 31;
    EXPECT_NEAR(exposed(0.4), 31 * 0.6 * copy, 1e-9);
    EXPECT_EQ(estimated(run).notes.size(), 1U);
    const double with = estimated(run).step.value.count();
    run.layout.offload = Offload::None;
    EXPECT_GT(with, estimated(run).step.value.count());
}

TEST(OffloadTime, TrlsStreamHidesWhatGoesToTheHost) {
    Scenario run = exampleRun("axolotl", {.dp = 1, .offload = Offload::Activations});
    const double copy = 1.0 / 0.75;  // 63 GB of a Gen5 x16 link of 63 GB/s at 0.75
    const auto waits = [&](double hidden, bool forward) {
        const PackedPass pass{.bytes = 63e9, .layerSeconds = hidden / 32, .forward = forward};
        return packedSeconds(run, exampleTiming().host, pass);
    };
    EXPECT_NEAR(waits(0.25 * copy, true), 0.75 * copy, 1e-9);
    EXPECT_EQ(waits(2.0 * copy, true), 0.0);
    EXPECT_NEAR(waits(2.0 * copy, false), copy, 1e-9);
    run.settings.torch.offloadStream = false;
    EXPECT_NEAR(waits(2.0 * copy, true), copy, 1e-9);
}

// 359 GB/s of NVLink-C2C, not 47 of the GPU's PCIe.
TEST(OffloadTime, GraceIsReachedOverItsOwnLink) {
    Scenario run = exampleRun("fsdp2", {.dp = 8, .offload = Offload::Activations});
    run.cluster = ProfileStore::builtIn().cluster("gb200-nvl72").value();
    EXPECT_NEAR(packedSeconds(run, exampleTiming().host, {.bytes = 359e9}), 1.0, 1e-9);
}

TEST(OffloadTime, MomentsOfFewBitsAreNotSteppedOnCpus) {
    Scenario scenario = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    scenario.settings.optimizer.kind = OptimizerKind::AdamW8bit;
    EXPECT_TRUE(checkOffload(scenario));
    scenario.layout.offload = Offload::ParametersCpu;
    const Result<void> refused = checkOffload(scenario);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Error::Code::Unsupported);
    EXPECT_NE(refused.error().why.find("adamw_8bit on CPUs"), std::string::npos);
    scenario.settings.optimizer.kind = OptimizerKind::Lion;
    EXPECT_TRUE(checkOffload(scenario));
}

TEST(OffloadTime, CopiesHideBehindLongPassesOnly) {
    Scenario scenario = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    scenario.layout.offload = Offload::ParametersCpu;
    const double shard = estimated(scenario).parts.of(TimePart::Shard);
    scenario.workload.sequence = 128;
    const double shortPass = estimated(scenario).parts.of(TimePart::Shard);
    // 8.03e9 / 8 parameters of 4 bytes there, twice back, over 47 GB/s, for each of 8 microbatches.
    EXPECT_GT(shortPass, shard);
    EXPECT_GT(shortPass, 0.5);
    Scenario slower = scenario;
    slower.cluster.node.pci.hostBandwidth.value = BytesPerSecond(5e9);
    EXPECT_GT(estimated(slower).parts.of(TimePart::Shard), shortPass);
}

TEST(OffloadTime, GpusOnOneWayIntoTheCpusShareIt) {
    Scenario scenario = exampleRun("fsdp2", {.dp = 8, .shard = Shard::Fsdp});
    scenario.layout.offload = Offload::ParametersCpu;
    const HostProfile& host = exampleTiming().host;
    const double alone = hostCopies(scenario, host, {.trained = 8e9}).forward;
    scenario.cluster.node.pci.rootComplexes.value = 4;
    EXPECT_NEAR(hostCopies(scenario, host, {.trained = 8e9}).forward, 2.0 * alone, 1e-9);
}

TEST(OffloadTime, FasterHostMemoryIsAFasterStep) {
    Scenario scenario = deepspeedRun(Shard::Zero3, Offload::OptimizerCpu);
    double before = estimated(scenario).step.value.count();
    for (const double rate : {800e9, 1600e9, 6400e9}) {
        scenario.cluster.node.hostMemoryBandwidth.value = BytesPerSecond(rate);
        const double after = estimated(scenario).step.value.count();
        EXPECT_LT(after, before);
        before = after;
    }
}

// 16 bytes of a parameter are read at 8 x 6.5 GB/s and written at 8 x 3.5 GB/s, besides what the
// CPUs take; offloaded parameters add 2 bytes to what is written.
TEST(OffloadTime, DrivesAreReadAndWrittenInEveryStep) {
    const HostProfile& host = exampleTiming().host;
    const Scenario cpus = deepspeedRun(Shard::Zero3, Offload::OptimizerCpu);
    const Scenario drives = deepspeedRun(Shard::Zero3, Offload::OptimizerNvme);
    EXPECT_NEAR(hostStepSeconds(drives, host, 1e9) - hostStepSeconds(cpus, host, 1e9),
                8e9 * (16.0 / 52e9 + 16.0 / 28e9),
                1e-6);
    const Scenario all = deepspeedRun(Shard::Zero3, Offload::ParametersNvme);
    EXPECT_NEAR(
        driveSeconds(all, host, 1e9) - driveSeconds(drives, host, 1e9), 8e9 * 2.0 / 28e9, 1e-6);
    EXPECT_EQ(estimated(drives).notes.size(), 2U);
    EXPECT_NE(estimated(drives).notes.back().find("days of training"), std::string::npos);
}

// A rank has a few more than the billion that stays in host memory.
TEST(OffloadTime, ParametersBeyondHostMemoryAreReadFromDrives) {
    Scenario scenario = deepspeedRun(Shard::Zero3, Offload::ParametersNvme);
    EXPECT_NEAR(shareOnDrives(scenario), 1.0 - 1e9 / (8.03e9 / 8), 1e-3);
    scenario.layout.dp = 64;
    EXPECT_EQ(shareOnDrives(scenario), 0.0);
}

// Megatron fetches fp32 gradients and returns bf16 weights, 6 bytes over a Gen5 x16 link.
TEST(OffloadTime, MegatronStepsOnTheCpus) {
    const HostProfile& host = exampleTiming().host;
    const Scenario scenario =
        exampleRun("megatron", {.dp = 8, .shard = Shard::Zero1, .offload = Offload::OptimizerCpu});
    EXPECT_NEAR(hostStepSeconds(scenario, host, 1e9),
                8e9 * 28.0 / (614.4e9 * 0.05) + 6e9 / (63e9 * 0.75),
                5e-3);
}

TEST(OffloadTime, WhatIsNotModelledIsRefusedByName) {
    const auto why = [](const Scenario& scenario) {
        const auto estimate = estimateStep(scenario, exampleTiming());
        return estimate ? std::string() : estimate.error().why;
    };
    Scenario undriven = deepspeedRun(Shard::Zero3, Offload::OptimizerNvme);
    undriven.cluster.node.nvme.value.reset();
    EXPECT_NE(why(undriven).find("local drives"), std::string::npos);
    undriven.cluster.node.nvme.value = Bytes(100'000'000'000);
    EXPECT_EQ(why(undriven), "");  // too small is a matter of memory
    const Scenario deepspeed = deepspeedRun(Shard::Zero2, Offload::Activations);
    EXPECT_NE(why(deepspeed).find("under deepspeed is not forecast"), std::string::npos);
    Scenario lora = exampleRun("deepspeed", {.dp = 8, .shard = Shard::Zero2});
    lora.layout.offload = Offload::OptimizerCpu;
    lora.settings.tuning = Tuning::Lora;
    EXPECT_NE(why(lora).find("with LoRA"), std::string::npos);
}

}  // namespace
}  // namespace fabricast
