#include "planner/memory/program/ordered_stages.h"
#include "planner/memory/stage_memory.h"
#include "planner/memory/walk_stage.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

Scenario pipelined(Engine engine, std::int64_t pp, std::int64_t vpp, std::int64_t microBatches) {
    Scenario scenario = smallTitan(80_GiB);
    scenario.model.layers = 13;
    scenario.settings.pipeline = {.embeddingWeight = 1, .headWeight = 1};
    scenario.layout = {.dp = 2, .pp = pp, .vpp = vpp, .shard = Shard::Fsdp};
    scenario.layout.schedule = vpp > 1 ? ScheduleKind::Interleaved : ScheduleKind::OneFOneB;
    scenario.workload.globalBatch = 2 * microBatches;
    if (engine == Engine::Megatron) {
        scenario.layout.shard = Shard::Zero1;
        scenario.settings.engine = engine;
        scenario.settings.kernels.code = ModelCode::Megatron;
        scenario.settings.precision.parameters = Dtype::Bf16;
        scenario.settings.precision.masterWeights = true;
        scenario.model.layers = 12;
        scenario.settings.pipeline = {};
    }
    return scenario;
}

bool isChunked(ScheduleKind schedule) {
    return schedule == ScheduleKind::Interleaved || schedule == ScheduleKind::LoopedBfs ||
           schedule == ScheduleKind::ZbV || schedule == ScheduleKind::InterleavedZb;
}

/// As if every stage were walked.
Bytes fullestOfAll(const Scenario& scenario) {
    Bytes fullest;
    for (std::int64_t stage = 0; stage < scenario.layout.pp; ++stage) {
        const auto walked = peakOfStage(scenario, {.stage = stage});
        EXPECT_TRUE(walked) << walked.error().text();
        fullest = std::max(fullest, walked ? walked->allocated : Bytes{});
    }
    return fullest;
}

std::vector<std::int64_t> allStages(const Scenario& scenario) {
    std::vector<std::int64_t> stages(static_cast<std::size_t>(scenario.layout.pp));
    std::iota(stages.begin(), stages.end(), 0);
    return stages;
}

/// The first of these stages that takes most, and how much.
std::pair<std::int64_t, std::int64_t> fullestOf(const Scenario& scenario,
                                                const std::vector<std::int64_t>& stages) {
    std::pair<std::int64_t, std::int64_t> fullest(-1, 0);
    for (const std::int64_t stage : stages) {
        const auto walked = peakOfStage(scenario, {.stage = stage});
        EXPECT_TRUE(walked) << walked.error().text();
        if (walked && walked->allocated.count() > fullest.second) {
            fullest = {stage, walked->allocated.count()};
        }
    }
    return fullest;
}

TEST(FullestStage, IsTheOneThatWalkingAllWouldFind) {
    for (const Engine engine : {Engine::Megatron, Engine::Fsdp2}) {
        for (const std::int64_t pp : {2, 3, 4, 6}) {
            for (const std::int64_t vpp : {1, 2}) {
                for (const std::int64_t rounds : {1, 2, 5}) {
                    for (const Checkpointing kind : {Checkpointing::None, Checkpointing::Full}) {
                        Scenario scenario = pipelined(engine, pp, vpp, pp * rounds);
                        scenario.settings.recompute.kind = kind;
                        const auto found = fullestAllocation(scenario, 1'000'000_GiB);
                        ASSERT_TRUE(found) << found.error().text();
                        EXPECT_EQ(found->count(), fullestOfAll(scenario).count())
                            << "pp " << pp << " vpp " << vpp << " rounds " << rounds;
                    }
                }
            }
        }
    }
}

// Where nobody asks for events, what passes of a segment add is counted once for each of them.
TEST(FullestStage, HasThePeakOfAWalkThatRemembersEvents) {
    for (const Engine engine : {Engine::Megatron, Engine::Fsdp2, Engine::Ddp}) {
        for (const Checkpointing kind :
             {Checkpointing::None, Checkpointing::Selective, Checkpointing::Full}) {
            Scenario scenario = pipelined(engine, 4, 2, 8);
            scenario.layout.tp = engine == Engine::Megatron ? 2 : 1;
            scenario.layout.sp = engine == Engine::Megatron;
            scenario.settings.recompute.kind = kind;
            for (std::int64_t stage = 0; stage < 4; ++stage) {
                const auto remembered = WalkedStage::of(scenario, {.stage = stage});
                const auto counted = peakOfStage(scenario, {.stage = stage});
                ASSERT_TRUE(remembered && counted);
                const StageMemory& peak = remembered->peak();
                EXPECT_EQ(counted->requested, peak.requested);
                EXPECT_EQ(counted->allocated, peak.allocated);
                EXPECT_EQ(counted->atPeak.bytes, peak.atPeak.bytes);
                EXPECT_EQ(counted->peakAt, peak.peakAt);
                EXPECT_EQ(counted->betweenSteps, peak.betweenSteps);
                EXPECT_EQ(counted->eventsWalked, peak.eventsWalked);
            }
        }
    }
}

// Four middle stages of six run the same order where all forwards come first, or the last of them
// differs.
TEST(FullestStage, IsOneOfThoseThatRunTheSameOrder) {
    const Scenario scenario = pipelined(Engine::Megatron, 6, 2, 6);
    const auto stages = stagesThatDecide(scenario);
    ASSERT_TRUE(stages) << stages.error().text();
    EXPECT_EQ(*stages, (std::vector<std::int64_t>{0, 1, 5}));
    const auto found = fullestAllocation(scenario, 1'000'000_GiB);
    ASSERT_TRUE(found) << found.error().text();
    EXPECT_EQ(found->count(), fullestOfAll(scenario).count());
}

// Where both chunks of a rank run the same layers, what tells ranks apart is only when they begin.
TEST(FullestStage, IsOneOfFewWhereChunksAreAlike) {
    for (const ScheduleKind schedule : {ScheduleKind::ZbV, ScheduleKind::DualPipeV}) {
        for (const Engine engine : {Engine::Fsdp2, Engine::Ddp}) {
            for (const std::int64_t microBatches : {16, 24, 40}) {
                for (const Checkpointing kind : {Checkpointing::None, Checkpointing::Full}) {
                    Scenario scenario = pipelined(engine, 8, 2, microBatches);
                    scenario.model.layers = 16;
                    scenario.settings.pipeline = {};
                    scenario.settings.recompute.kind = kind;
                    scenario.layout.schedule = schedule;
                    const auto stages = stagesThatDecide(scenario);
                    ASSERT_TRUE(stages) << stages.error().text();
                    const auto [stage, most] = fullestOf(scenario, *stages);
                    EXPECT_EQ(std::pair(stage, most), fullestOf(scenario, allStages(scenario)));
                    EXPECT_LE(stages->size(), 4U) << "of " << microBatches;
                }
            }
        }
    }
}

// Where a stage with more layers than the first does not fit, no other is walked.
TEST(FullestStage, IsLookedForWhereMostLayersAre) {
    for (const Engine engine : {Engine::Fsdp2, Engine::Megatron}) {
        Scenario scenario = pipelined(engine, 4, 1, 8);
        scenario.model.layers = 14;
        scenario.settings.pipeline = {.embeddingWeight = 1, .headWeight = 1};
        EXPECT_EQ(stagesThatDecide(scenario).value(), (std::vector<std::int64_t>{1, 0, 3}));
        const StageWalks vain = walkFullestStage(scenario, 1_MiB).value();
        ASSERT_EQ(vain.stages.size(), 1U);
        EXPECT_EQ(vain.stages.front().stage, 1);
        const StageWalks some = walkFullestStage(scenario, kNoLimit).value();
        const StageWalks all = walkAllStages(scenario).value();
        const StageMemory& found = some.stages[some.fullest];
        const StageMemory& fullest = all.stages[all.fullest];
        EXPECT_EQ(found.stage, fullest.stage);
        EXPECT_EQ(found.allocated, fullest.allocated);
        EXPECT_EQ(found.reserved.value, fullest.reserved.value);
    }
}

// The search may end at the first stage that takes enough.
TEST(FullestStage, StopsAtEnough) {
    const Scenario scenario = pipelined(Engine::Megatron, 4, 1, 8);
    const Bytes all = fullestOfAll(scenario);
    const auto found = fullestAllocation(scenario, all * std::int64_t{1});
    ASSERT_TRUE(found);
    EXPECT_EQ(found->count(), all.count());
    const auto early = fullestAllocation(scenario, Bytes(1));
    ASSERT_TRUE(early);
    EXPECT_GE(early->count(), 1);
    EXPECT_LE(early->count(), all.count());
}

class SeenMicroBatches : public testing::TestWithParam<ScheduleKind> {};

// A walk is the same for any number of microbatches from which it sees as many.
TEST_P(SeenMicroBatches, DecideTheMemory) {
    std::size_t fewer = 0;
    for (const Engine engine : {Engine::Megatron, Engine::Fsdp2}) {
        const bool has = engine != Engine::Megatron || GetParam() == ScheduleKind::OneFOneB ||
                         GetParam() == ScheduleKind::Interleaved;
        for (const std::int64_t pp :
             has ? std::vector<std::int64_t>{1, 2, 4} : std::vector<std::int64_t>{}) {
            Scenario scenario = pipelined(engine, pp, pp > 1 && isChunked(GetParam()) ? 2 : 1, 24);
            scenario.layout.schedule = pp > 1 ? GetParam() : ScheduleKind::None;
            const std::int64_t seen = microBatchesSeen(scenario);
            const auto peak = fullestAllocation(scenario, 1'000'000_GiB);
            scenario.workload.globalBatch = 2 * seen;
            ASSERT_EQ(microBatchesSeen(scenario), seen);
            const auto peakOfFewer = fullestAllocation(scenario, 1'000'000_GiB);
            ASSERT_EQ(peak.has_value(), peakOfFewer.has_value());
            if (peak) {
                EXPECT_EQ(peak->count(), peakOfFewer->count()) << "pp " << pp;
                fewer += seen < 24 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(fewer, 0U);  // without a pipeline at least
}

INSTANTIATE_TEST_SUITE_P(Schedules,
                         SeenMicroBatches,
                         testing::Values(ScheduleKind::OneFOneB,
                                         ScheduleKind::Gpipe,
                                         ScheduleKind::ZbH1,
                                         ScheduleKind::ZbH2,
                                         ScheduleKind::Interleaved,
                                         ScheduleKind::LoopedBfs,
                                         ScheduleKind::ZbV,
                                         ScheduleKind::InterleavedZb));

}  // namespace
}  // namespace fabricast
