#include "planner/base/grouped.h"
#include "planner/memory/device/caching_allocator.h"
#include "planner/memory/overheads.h"
#include "planner/memory/stage_memory.h"
#include "planner/memory/walk_stage.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fabricast {
namespace {

using namespace literals;

MemoryBreakdown answer(const Scenario& scenario) {
    const auto memory = memoryOfAllStages(scenario);
    EXPECT_TRUE(memory) << memory.error().text();
    return memory.value_or(MemoryBreakdown{});
}

TEST(MemoryOfStages, PartsSumToTheTotalAndTermsToTheParts) {
    const MemoryBreakdown memory = answer(smallTitan(80_GiB));
    const StageMemory& stage = memory.stages.at(memory.fullest);
    EXPECT_EQ(stage.atPeak.total(), stage.requested);
    for (const Term& term : stage.terms) {
        if (term.key == "activations") {
            EXPECT_EQ(term.bytes, stage.atPeak.of(MemoryKind::Activations));
        }
    }
    EXPECT_EQ(memory.verdict, Verdict::Fits);
}

TEST(MemoryOfStages, StatesAreWhatTheArithmeticSays) {
    const Scenario scenario = smallTitan(80_GiB);
    const StageMemory stage = answer(scenario).stages.at(0);
    // h=1024, f=2816, 16 heads of 64, 8 kv heads, V=32000, 8 layers, fp32 over 8 ranks
    const std::int64_t layer =
        1024 * 1024 + 2 * 1024 * 512 + 1024 * 1024 + 3 * 1024 * 2816 + 2 * 1024;
    const std::int64_t parameters = 8 * layer + 2 * 32000 * 1024 + 1024;
    EXPECT_EQ(stage.localParameters, parameters);
    EXPECT_EQ(stage.atPeak.of(MemoryKind::Weights), Bytes(parameters / 8 * 4));
    // two fp32 moments, and a 4-byte step counter for each of the 8 x 7 + 3 tensors
    EXPECT_EQ(stage.atPeak.of(MemoryKind::Optimizer), Bytes(parameters / 8 * 8 + 4 * (8 * 7 + 3)));
}

TEST(MemoryOfStages, FullestStagesAloneSayTheSame) {
    Scenario scenario = smallTitan(80_GiB);
    scenario.layout = {.dp = 2, .pp = 4, .vpp = 2, .shard = Shard::Fsdp};
    scenario.layout.schedule = ScheduleKind::Interleaved;
    scenario.workload.globalBatch = 16;
    const auto all = memoryOfAllStages(scenario);
    const auto fullest = memoryOfFullestStage(scenario);
    ASSERT_TRUE(all && fullest);
    EXPECT_EQ(all->peak.value, fullest->peak.value);
    EXPECT_EQ(all->peak.lo, fullest->peak.lo);
    EXPECT_EQ(all->peak.hi, fullest->peak.hi);
    EXPECT_EQ(all->verdict, fullest->verdict);
}

TEST(MemoryOfStages, AStopEndsWalkAndReplay) {
    const Scenario scenario = smallTitan(80_GiB);
    std::stop_source stop;
    const Watch watch{.stop = stop.get_token()};
    const auto walked = WalkedStage::of(scenario, {.stage = 0}, watch);
    ASSERT_TRUE(walked);
    ASSERT_TRUE(walked->replayed(watch));
    stop.request_stop();
    for (const auto& answer : {walked->replayed(watch), peakOfStage(scenario, {}, watch)}) {
        ASSERT_FALSE(answer);
        EXPECT_EQ(answer.error().code, Error::Code::Stopped);
    }
    const auto memory = memoryOfAllStages(scenario, watch);
    ASSERT_FALSE(memory);
    EXPECT_EQ(memory.error().code, Error::Code::Stopped);
}

TEST(MemoryOfStages, DeepSpeedWithALossInChunksIsRefused) {
    Scenario scenario = smallTitan(80_GiB);
    scenario.settings.engine = Engine::DeepSpeed;
    scenario.settings.kernels.loss = LossKernel::Chunked;
    for (const Shard shard : {Shard::None, Shard::Zero1, Shard::Zero2, Shard::Zero3}) {
        scenario.layout.shard = shard;
        const auto memory = memoryOfAllStages(scenario);
        ASSERT_FALSE(memory);
        EXPECT_EQ(memory.error().where, "settings.kernels.loss");
    }
}

TEST(MemoryOfStages, BetweenTensorsAndReserveIsLikelyOrUnlikely) {
    const MemoryBreakdown roomy = answer(smallTitan(80_GiB));
    ASSERT_LT(roomy.peak.lo, roomy.peak.hi);
    Scenario tight = smallTitan(Bytes((roomy.peak.lo.count() + roomy.peak.hi.count()) / 2));
    EXPECT_EQ(answer(tight).verdict, Verdict::Likely);
    ASSERT_LT(roomy.peak.lo, roomy.peak.value);
    Scenario tighter = smallTitan(roomy.peak.value - Bytes(1));
    EXPECT_EQ(answer(tighter).verdict, Verdict::Unlikely);
}

TEST(MemoryOfStages, WhatAnAllocatorUsuallyHoldsBackIsNeeded) {
    Scenario scenario = smallTitan(80_GiB);
    const MemoryBreakdown inSegments = answer(scenario);
    const StageMemory& stage = inSegments.stages.front();
    const Bytes usual = usuallyPinned(stage.allocated, 80_GiB);
    EXPECT_EQ((usual - stage.allocated).count(), 1'202'590'843);  // 1.4 % of the GPU
    EXPECT_EQ(inSegments.pinned, usual + stage.context + stage.collectives);
    scenario.settings.allocator = AllocatorKind::ExpandableSegments;
    EXPECT_LT(answer(scenario).pinned, inSegments.pinned);
}

// A share left to the allocator decides in place of what it may hold, never of what it keeps.
TEST(MemoryOfStages, AReserveMakesNothingFitThatIsUnlikelyTo) {
    const MemoryBreakdown roomy = answer(smallTitan(80_GiB));
    Scenario scenario = smallTitan(roomy.peak.value + Bytes(1));
    ASSERT_EQ(answer(scenario).verdict, Verdict::Unlikely);
    scenario.cluster.reserve = 1e-12;
    EXPECT_EQ(answer(scenario).verdict, Verdict::DoesNotFit);
    scenario = smallTitan(Bytes((roomy.peak.lo.count() + roomy.peak.hi.count()) / 2));
    ASSERT_EQ(answer(scenario).verdict, Verdict::Likely);
    scenario.cluster.reserve = 1e-12;
    const MemoryBreakdown small = answer(scenario);
    EXPECT_EQ(small.verdict, Verdict::Fits);
    EXPECT_TRUE(std::ranges::any_of(small.notes, [](const std::string& note) {
        return note.find("left to the allocator are less than") != std::string::npos;
    }));
}

// Whoever adds up the parts of a formula comes to its number.
TEST(MemoryOfStages, TheLimitsAreTheSumsOfTheirParts) {
    const MemoryBreakdown memory = answer(smallTitan(80_GiB));
    ASSERT_EQ(memory.limits.size(), 4U);
    EXPECT_EQ(memory.limits[0].bytes, memory.peak.lo);
    EXPECT_EQ(memory.limits[1].bytes, memory.peak.hi);
    EXPECT_EQ(memory.limits[2].bytes, memory.unpressed);
    EXPECT_EQ(memory.limits[3].bytes, memory.pinned);
    const StageMemory& stage = memory.stages[memory.fullest];
    const Bytes kept = memory.pinned - stage.context - stage.collectives;
    for (const Bytes part : {kept, stage.context, stage.collectives}) {
        EXPECT_NE(memory.limits[3].formula.find(grouped(part.count()) + " B"), std::string::npos)
            << memory.limits[3].formula;
    }
}

TEST(MemoryOfStages, AnAllocatorReservesNoMoreThanThereIs) {
    const StageMemory roomy = answer(smallTitan(80_GiB)).stages.front();
    const Bytes runtime = roomy.context + roomy.collectives;
    const Bytes capacity = Bytes((roomy.pinned + roomy.reserved.value).count() / 2) + runtime;
    ASSERT_LT(roomy.pinned + runtime, capacity);
    const StageMemory tight = answer(smallTitan(capacity)).stages.front();
    EXPECT_GT(roomy.reserved.value + runtime, capacity);
    EXPECT_LE(tight.reserved.lo, roomy.pinned);
    EXPECT_LE(tight.reserved.hi, capacity);
    EXPECT_EQ(tight.reserved.value, tight.reserved.hi);
}

TEST(MemoryOfStages, LargerMicroBatchesNeverTakeLess) {
    Scenario scenario = smallTitan(80_GiB);
    Bytes before{};
    for (const std::int64_t micro : {1, 2, 4, 8}) {
        scenario.layout.microBatch = micro;
        scenario.workload.globalBatch = 8 * micro;
        const Bytes now = answer(scenario).peak.value;
        EXPECT_GE(now, before) << micro;
        before = now;
    }
}

// A GPipe rank holds all its microbatches. Beyond a few they are one block, so 40 must lie on the
// line through 20 and 30.
TEST(MemoryOfStages, ManyGpipeMicroBatchesGrowOnALine) {
    Scenario scenario = smallTitan(80_GiB);
    scenario.layout.pp = 2;
    scenario.layout.dp = 4;
    scenario.layout.schedule = ScheduleKind::Gpipe;
    scenario.layout.microBatch = 1;
    const auto at = [&](std::int64_t count) {
        scenario.workload.globalBatch = count * 4;
        return answer(scenario).stages.at(0).requested.count();
    };
    const std::int64_t step = at(30) - at(20);
    EXPECT_EQ(at(40) - at(30), step);
    EXPECT_GT(step, 0);
}

TEST(MemoryOfStages, RefusesWhatHasNoArithmetic) {
    Scenario scenario = smallTitan(80_GiB);
    scenario.layout.tp = 3;
    EXPECT_FALSE(memoryOfAllStages(scenario));
    scenario = smallTitan(80_GiB);
    scenario.workload.sequence = 1'000'000'000'000;
    EXPECT_FALSE(memoryOfAllStages(scenario));
    scenario = smallTitan(80_GiB);
    scenario.cluster.node.gpu.memory = {};
    EXPECT_FALSE(memoryOfAllStages(scenario));
}

// 2 MiB pieces: three small tensors share one; a 3 MiB tensor takes a 20 MiB segment, and a second
// one its rest.
TEST(CachingAllocator, TakesSegmentsAsPyTorchDoes) {
    CachingAllocator allocator({.kind = AllocatorKind::Default});
    for (Storage storage = 0; storage < 3; ++storage) {
        allocator.apply({.storage = storage, .bytes = 1000});
    }
    EXPECT_EQ(allocator.reserved(), 2 << 20);
    allocator.apply({.storage = 3, .bytes = 3 << 20});
    allocator.apply({.storage = 4, .bytes = 3 << 20});
    EXPECT_EQ(allocator.reserved(), 22 << 20);
    allocator.apply({.storage = 5, .bytes = (30 << 20) + 1});
    EXPECT_EQ(allocator.reserved(), (22 << 20) + (32 << 20));
    // the last one is trimmed to 30 MiB and one granule of 512 B
    EXPECT_EQ(allocator.peakAllocated(), 3 * 1024 + (6 << 20) + (30 << 20) + 512);
}

TEST(CachingAllocator, ReusesWhatWasFreedInItsOwnStreamOnly) {
    CachingAllocator allocator({.kind = AllocatorKind::Default});
    allocator.apply({.storage = 0, .bytes = 64 << 20});
    allocator.apply({.storage = 0, .bytes = 0});
    allocator.apply({.storage = 1, .bytes = 64 << 20});
    EXPECT_EQ(allocator.reserved(), 64 << 20);
    allocator.apply({.storage = 1, .bytes = 0});
    allocator.apply({.storage = 2, .pool = 1, .bytes = 64 << 20});
    EXPECT_EQ(allocator.reserved(), 128 << 20);
}

TEST(CachingAllocator, ExpandableSegmentsGrowAtTheirEnd) {
    CachingAllocator allocator({.kind = AllocatorKind::ExpandableSegments});
    allocator.apply({.storage = 0, .bytes = 40 << 20});
    allocator.apply({.storage = 0, .bytes = 0});
    allocator.apply({.storage = 1, .bytes = 60 << 20});  // the free 40 and 20 more
    EXPECT_EQ(allocator.reserved(), 60 << 20);
}

}  // namespace
}  // namespace fabricast
