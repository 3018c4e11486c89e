#include "planner/memory/device/caching_allocator.h"

#include "planner/memory/device/replay.h"
#include "planner/memory/walk_stage.h"
#include "tests/support/scenarios.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace fabricast {
namespace {

using namespace literals;

constexpr std::size_t kStates = 12;

/// Takes a block that is released at once.
void pass(CachingAllocator& allocator, Storage storage, std::int64_t bytes) {
    const std::vector<DeviceEvent> events{{.storage = storage, .bytes = bytes},
                                          {.storage = storage}};
    const auto requests = allocator.requestsOf(events);
    ASSERT_EQ(requests.size(), 1U);
    allocator.serve(requests.front());
}

/// States, a third of them the optimizer's, and a step that leaves nothing of its own.
std::vector<DeviceEvent> randomProcess(std::uint32_t seed) {
    std::mt19937 random(seed);
    const auto below = [&random](std::int64_t most) {
        return static_cast<std::int64_t>(random()) % most;
    };
    std::vector<DeviceEvent> events;
    for (Storage state = 0; state < static_cast<Storage>(kStates); ++state) {
        events.push_back({.storage = state,
                          .kind = state % 3 == 0 ? MemoryKind::Optimizer : MemoryKind::Weights,
                          .bytes = 1 + below(40 << 20)});
    }
    std::vector<Storage> live;
    Storage next = kStates;
    for (int i = 0; i < 400; ++i) {
        if (live.empty() || below(5) < 3) {
            const std::int64_t bytes = 1 + below(below(2) == 0 ? 1 << 20 : 60 << 20);
            live.push_back(next++);
            events.push_back({.storage = live.back(), .bytes = bytes});
        } else {
            const auto one = live.begin() + below(static_cast<std::int64_t>(live.size()));
            events.push_back({.storage = *one});
            live.erase(one);
        }
    }
    for (const Storage storage : live) {
        events.push_back({.storage = storage});
    }
    return events;
}

/// Three steps, event by event.
Footprint threeSteps(const std::vector<DeviceEvent>& events, AllocatorKind kind) {
    CachingAllocator allocator({.kind = kind});
    const auto states = [&](bool ofOptimizer) {
        for (std::size_t i = 0; i < kStates; ++i) {
            if ((events[i].kind == MemoryKind::Optimizer) == ofOptimizer) {
                allocator.apply(events[i]);
            }
        }
    };
    states(false);
    for (int step = 0; step < 3; ++step) {
        allocator.resetPeak();
        for (std::size_t i = kStates; i < events.size(); ++i) {
            allocator.apply(events[i]);
        }
        if (step == 0) {
            states(true);
        }
    }
    return {allocator.reserved(), allocator.peakAllocated(), allocator.peakPinned()};
}

// Whatever else is there, and whether or not it had to be reserved.
TEST(CachingAllocator, PassesWhatIsReleasedAtOnceAsIfItWereTaken) {
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        for (const auto kind : {AllocatorKind::Default, AllocatorKind::ExpandableSegments}) {
            CachingAllocator passing({.kind = kind});
            CachingAllocator taking({.kind = kind});
            std::mt19937 random(seed);
            for (const DeviceEvent& event : randomProcess(seed)) {
                const Storage storage = 1000;
                const std::int64_t bytes = 1 + static_cast<std::int64_t>(random() % (48U << 20U));
                pass(passing, storage, bytes);
                taking.apply({.storage = storage, .bytes = bytes});
                taking.apply({.storage = storage});
                passing.apply(event);
                taking.apply(event);
                ASSERT_EQ(passing.held(), taking.held()) << seed;
                ASSERT_EQ(passing.peakAllocated(), taking.peakAllocated()) << seed;
                ASSERT_EQ(passing.peakPinned(), taking.peakPinned()) << seed;
                ASSERT_LE(passing.peakAllocated(), passing.peakPinned()) << seed;
                ASSERT_LE(passing.peakPinned(), passing.reserved()) << seed;
            }
        }
    }
}

// A step that leaves the allocator as it found it is not replayed again: nothing is lost by that.
TEST(ReplaySteps, AreThreeStepsOfAProcess) {
    for (std::uint32_t seed = 0; seed < 100; ++seed) {
        const std::vector<DeviceEvent> events = randomProcess(seed);
        for (const auto kind : {AllocatorKind::Default, AllocatorKind::ExpandableSegments}) {
            const Footprint all = threeSteps(events, kind);
            const Footprint found = replaySteps(events, kStates, {.kind = kind}).value();
            EXPECT_EQ(found.reserved, all.reserved) << seed;
            EXPECT_EQ(found.allocated, all.allocated) << seed;
            EXPECT_EQ(found.pinned, all.pinned) << seed;
        }
    }
}

// A free block as large as the limit is no one's but for requests that fill it but for 20 MiB.
TEST(CachingAllocator, CutsNoBlockAboveTheLimit) {
    constexpr std::int64_t kMiB = std::int64_t{1} << 20;
    CachingAllocator allocator({.maxSplit = 64 * kMiB});
    allocator.apply({.storage = 0, .bytes = 100 * kMiB});
    allocator.apply({.storage = 0});
    allocator.apply({.storage = 1, .bytes = 30 * kMiB});
    EXPECT_EQ(allocator.reserved(), 130 * kMiB);
    allocator.apply({.storage = 2, .bytes = 70 * kMiB});
    EXPECT_EQ(allocator.reserved(), 200 * kMiB);
    allocator.apply({.storage = 3, .bytes = 90 * kMiB});
    EXPECT_EQ(allocator.reserved(), 200 * kMiB);
    EXPECT_EQ(allocator.peakAllocated(), (30 + 70 + 100) * kMiB);  // whole, not cut to 90
}

TEST(CachingAllocator, RoundsUpToPartsOfAPowerOfTwo) {
    CachingAllocator allocator({.divisions = 4});
    allocator.apply({.storage = 0, .bytes = 1100});    // below 4 x 512: as ever
    allocator.apply({.storage = 1, .bytes = 10'000});  // 8,192 and a part of 2,048
    allocator.apply({.storage = 2, .bytes = 16'384});
    EXPECT_EQ(allocator.peakAllocated(), 1536 + 10'240 + 16'384);
}

TEST(CachingAllocator, KeepsItsRulesWherePassed) {
    for (std::uint32_t seed = 0; seed < 20; ++seed) {
        const AllocatorRules rules{.maxSplit = std::int64_t{32} << 20U, .divisions = 8};
        CachingAllocator passing(rules);
        CachingAllocator taking(rules);
        for (const DeviceEvent& event : randomProcess(seed)) {
            const std::int64_t bytes = event.bytes > 0 ? 3 * event.bytes : 1000;
            pass(passing, 1000, bytes);
            taking.apply({.storage = 1000, .bytes = bytes});
            taking.apply({.storage = 1000});
            passing.apply(event);
            taking.apply(event);
            ASSERT_EQ(passing.held(), taking.held()) << seed;
            ASSERT_EQ(passing.peakAllocated(), taking.peakAllocated()) << seed;
        }
    }
}

// A segment goes back to the device as a whole: 2 MiB in use keep 64.
TEST(CachingAllocator, CannotGiveBackSegmentsWithABlockInUse) {
    CachingAllocator allocator({.kind = AllocatorKind::Default});
    allocator.apply({.storage = 0, .bytes = 64 << 20});
    allocator.apply({.storage = 0});
    allocator.apply({.storage = 1, .bytes = 2 << 20});  // of the 64
    allocator.apply({.storage = 2, .bytes = 30 << 20});
    allocator.apply({.storage = 2});
    allocator.resetPeak();
    EXPECT_EQ(allocator.peakPinned(), 64 << 20);
    allocator.apply({.storage = 1});
    allocator.resetPeak();
    EXPECT_EQ(allocator.peakPinned(), 0);
    EXPECT_EQ(allocator.reserved(), 64 << 20);
    pass(allocator, 3, 1 << 21);
    EXPECT_EQ(allocator.peakPinned(), 64 << 20);
}

TEST(CachingAllocator, GivesBackThePagesBesideABlockOfAnExpandableSegment) {
    CachingAllocator allocator({.kind = AllocatorKind::ExpandableSegments});
    allocator.apply({.storage = 0, .bytes = 60 << 20});
    allocator.apply({.storage = 0});
    allocator.resetPeak();
    allocator.apply({.storage = 1, .bytes = 2 << 20});
    EXPECT_EQ(allocator.peakPinned(), 2 << 20);
}

TEST(CachingAllocator, HoldsTheSameWhereAStepLeavesNothing) {
    CachingAllocator allocator({.kind = AllocatorKind::Default});
    allocator.apply({.storage = 0, .bytes = 30 << 20});
    const HeldBlocks before = allocator.held();
    allocator.apply({.storage = 1, .bytes = 30 << 20});
    EXPECT_FALSE(allocator.held() == before);
    allocator.apply({.storage = 1});
    EXPECT_FALSE(allocator.held() == before);  // what is free now was taken from the device
    const HeldBlocks grown = allocator.held();
    allocator.apply({.storage = 1, .bytes = 30 << 20});
    allocator.apply({.storage = 1});
    EXPECT_EQ(allocator.held(), grown);
    allocator.apply({.storage = 1, .bytes = 30 << 20});
    allocator.apply({.storage = 0});
    allocator.rename({{.from = 1, .to = 0}});
    EXPECT_FALSE(allocator.held() == grown);  // the state lies where the other block lay
}

}  // namespace
}  // namespace fabricast
