#include "planner/estimate/stage_time.h"
#include "tests/planner/estimate/estimate_example.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

constexpr double kShardedParameters = 1e6;
constexpr double kShardedLayers = 4;

Scenario sharded(std::int64_t ranks) {
    Scenario scenario;
    scenario.settings.engine = Engine::Fsdp2;
    scenario.settings.precision = {.parameters = Dtype::Fp32,
                                   .compute = Dtype::Bf16,
                                   .autocast = false,
                                   .gradients = Dtype::Fp32,
                                   .reduce = Dtype::Bf16};
    scenario.layout.shard = Shard::Fsdp;
    scenario.layout.dp = ranks;
    scenario.layout.microBatch = 1;
    scenario.workload.globalBatch = ranks;  // one microbatch
    return scenario;
}

TEST(KeptWork, AShardIsCastAndPutIntoTheGathersBuffer) {
    const KeptWork forward = keptWork(sharded(8), kShardedParameters, kShardedLayers, Way::Forward);
    EXPECT_DOUBLE_EQ(forward.bytes, kShardedParameters / 8 * ((4 + 2) + 2 * 2));
    EXPECT_DOUBLE_EQ(forward.units, 0.0);  // the gathers stand for them
    // Gathered again, and the reduced gradient is cast.
    const KeptWork backward =
        keptWork(sharded(8), kShardedParameters, kShardedLayers, Way::Backward);
    EXPECT_DOUBLE_EQ(backward.bytes, kShardedParameters / 8 * (10 + (2 + 4)));
}

TEST(KeptWork, OneRankCopiesWhatItDoesNotSend) {
    const KeptWork forward = keptWork(sharded(1), kShardedParameters, kShardedLayers, Way::Forward);
    EXPECT_DOUBLE_EQ(forward.bytes, kShardedParameters * (10 + 2 * 2));
    EXPECT_DOUBLE_EQ(forward.units, kShardedLayers);
}

TEST(KeptWork, MicrobatchesAddUpInTheShard) {
    Scenario scenario = sharded(8);
    scenario.workload.globalBatch = 32;  // four microbatches: three sums
    const KeptWork once = keptWork(sharded(8), kShardedParameters, kShardedLayers, Way::Backward);
    const KeptWork four = keptWork(scenario, kShardedParameters, kShardedLayers, Way::Backward);
    EXPECT_DOUBLE_EQ(four.bytes - once.bytes, kShardedParameters / 8 * 3 * 4 * 3 / 4);
}

TEST(KeptWork, DdpAddsUpWholeGradients) {
    Scenario scenario = sharded(8);
    scenario.layout.shard = Shard::None;
    scenario.settings.engine = Engine::Ddp;
    const auto bytes = [&scenario](Way way) {
        return keptWork(scenario, kShardedParameters, kShardedLayers, way).bytes;
    };
    EXPECT_DOUBLE_EQ(bytes(Way::Backward), 0.0);  // one microbatch
    scenario.workload.globalBatch = 32;
    EXPECT_DOUBLE_EQ(bytes(Way::Forward), 0.0);
    EXPECT_DOUBLE_EQ(bytes(Way::Backward), kShardedParameters * 3 * 4 * 3 / 4);
}

}  // namespace
}  // namespace fabricast
