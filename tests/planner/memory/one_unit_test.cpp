#include "planner/memory/stage_memory.h"
#include "planner/stack/stack.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

using namespace literals;

constexpr std::int64_t kUnitLayer =
    1024 * 1024 + 2 * 1024 * 512 + 1024 * 1024 + 3 * 1024 * 2816 + 2 * 1024;
constexpr std::int64_t kUnitParameters = 8 * kUnitLayer + 2 * 32000 * 1024 + 1024;

Scenario shardedBy(bool oneUnit, Dtype reduce) {
    Scenario scenario = smallTitan(80_GiB);
    scenario.stack = "fsdp2";
    scenario.workload = {.sequence = 64, .globalBatch = 8};
    scenario.layout = {.dp = 8, .shard = Shard::Fsdp, .microBatch = 1};
    scenario.settings = findStack("fsdp2").value()->defaults(scenario.layout, Tuning::Full);
    scenario.settings.precision.reduce = reduce;
    scenario.settings.torch.oneUnit = oneUnit;
    return scenario;
}

StageMemory memoryOf(const Scenario& scenario) {
    const auto memory = memoryOfAllStages(scenario);
    EXPECT_TRUE(memory) << memory.error().text();
    return memory ? memory->stages.at(0) : StageMemory{};
}

/// What the copy reads: a number for every 2 KiB of a rank's part, six for each of 75 weights.
constexpr std::int64_t kCopyTable =
    8 * (8 * (2 * 256 + 2 * 128 + 3 * 704 + 2) + 2 * 8000 + 1 + 6 * 75 + 2);

// Every gradient is there, in bf16, when the first is reduced: in fp32 from a copy of twice its
// size. The gathered weights went before it.
TEST(OneUnit, HasAllGradientsWhenItReducesThem) {
    const StageMemory memory = memoryOf(shardedBy(true, Dtype::Fp32));
    EXPECT_EQ(memory.atPeak.of(MemoryKind::Communication), Bytes(4 * kUnitParameters + kCopyTable));
    EXPECT_EQ(memory.atPeak.of(MemoryKind::Gradients), Bytes(2 * kUnitParameters));
    EXPECT_EQ(memory.atPeak.of(MemoryKind::Gathered), Bytes(0));
}

// In bf16 that is as much as the forward has: what is gathered, and the weights that it is copied
// to. Each layer by itself has less.
TEST(OneUnit, GathersAllWeightsAtOnce) {
    const StageMemory one = memoryOf(shardedBy(true, Dtype::Bf16));
    const StageMemory layers = memoryOf(shardedBy(false, Dtype::Bf16));
    const Bytes states(12 * kUnitParameters / 8);
    EXPECT_GE(one.requested, states + Bytes(4 * kUnitParameters));
    EXPECT_LT(one.requested, states + Bytes(5 * kUnitParameters));
    EXPECT_LT(layers.requested, states + Bytes(3 * kUnitParameters));
    EXPECT_EQ(one.localParameters, layers.localParameters);
}

}  // namespace
}  // namespace fabricast
