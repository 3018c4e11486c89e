#include "planner/memory/engines/torch/local_engine.h"

#include "planner/memory/make_engines.h"
#include "planner/stack/stack.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

/// A quantised frozen matrix, a bf16 frozen vector, and a trained matrix of fp32.
std::vector<Unit> adapted() {
    Unit unit;
    unit.weights.push_back(
        {.name = "base", .elements = 4096, .trained = false, .packedBytes = 2500});
    unit.weights.push_back({.name = "norm", .elements = 64, .trained = false});
    unit.weights.push_back({.name = "lora_A", .elements = 512, .columns = 64, .width = 4});
    return {unit};
}

TEST(LocalEngine, HoldsEachWeightInItsOwnTypeAndStateForTheTrained) {
    Device device;
    const auto units = adapted();
    LocalEngine engine(device, units, {.width = 2, .groups = {parameterTensors(units, 2)}});
    engine.holdStates();
    EXPECT_EQ(device.live(), 2500 + 2 * 64 + 4 * 512 + (8 * 512 + 4));
}

TEST(LocalEngine, KeepsTheFirstGradientAndAddsTheOthersInPlace) {
    Device device;
    LocalEngine engine(device, adapted(), {.width = 2});
    for (int microStep = 0; microStep < 3; ++microStep) {
        engine.takeGradient(0, 2, device.take(2048, MemoryKind::Backward));
        EXPECT_EQ(device.live(), 2048);
    }
}

TEST(LocalEngine, PagesMomentsOfLargeTensorsToTheHost) {
    Device device;
    const std::vector<StepTensor> tensors = {{.elements = 1 << 20}, {.elements = 5000}};
    LocalEngine engine(device,
                       {},
                       {.optimizer = {.kind = OptimizerKind::PagedAdamW8bit,
                                      .kernel = OptimizerKernel::BitsAndBytes},
                        .groups = {tensors}});
    engine.holdStates();
    EXPECT_EQ(engine.host().bytes, 2 << 20);
    // Scales of both, the small one's moments, and two code tables.
    EXPECT_EQ(device.live(), 8 * 4096 + (2 * 5000 + 8 * 20) + 2048);
}

/// Bytes of states before the first step, of 256 rows of 64 in the table and the head each.
std::int64_t statesOf(std::int64_t ranks, OptimizerKind kind, bool tied, bool isTrainers) {
    Scenario scenario;
    scenario.stack = "accelerate";
    scenario.layout.dp = ranks;
    scenario.model.family = "llama";
    scenario.model.layers = 1;
    scenario.model.hidden = 64;
    scenario.model.vocab = 256;
    scenario.model.tiedEmbeddings = tied;
    scenario.model.mlp.width = 192;
    scenario.model.attention = {.heads = 4, .kvHeads = 2, .headDim = 16};
    scenario.workload = {.sequence = 128, .globalBatch = ranks};
    scenario.settings =
        defaultSettings(*findStack("accelerate").value(), scenario.model, scenario.layout);
    scenario.settings.optimizer.kind = kind;
    scenario.settings.optimizer.decayGroups = isTrainers;
    const auto program = stageProgram(scenario, 0);
    Device device;
    const auto engine = makeEngine(scenario, device, *program, {});
    EXPECT_TRUE(program && engine);
    const std::int64_t before = device.live();
    (*engine)->holdStates();
    return device.live() - before;
}

// transformers' Trainer keeps fp32 moments of an nn.Embedding's weight, a tied head's with it.
TEST(LocalEngine, WidensBitsandbytesMomentsOfTheTableInATrainersHands) {
    constexpr std::int64_t kTable = 256 * 64;
    constexpr std::int64_t kCodes = kTable + 4 * kTable / 256;
    const auto wider = [](std::int64_t ranks, OptimizerKind kind, bool tied) {
        return statesOf(ranks, kind, tied, true) - statesOf(ranks, kind, tied, false);
    };
    for (const std::int64_t ranks : {1, 2}) {  // one process, and DDP
        for (const bool tied : {false, true}) {
            EXPECT_EQ(wider(ranks, OptimizerKind::AdamW8bit, tied), 2 * (4 * kTable - kCodes));
            EXPECT_EQ(wider(ranks, OptimizerKind::Lion8bit, tied), 4 * kTable - kCodes);
            EXPECT_EQ(wider(ranks, OptimizerKind::AdamW, tied), 0);
        }
    }
}

}  // namespace
}  // namespace fabricast
