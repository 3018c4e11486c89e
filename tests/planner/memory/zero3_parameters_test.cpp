#include "planner/memory/engines/deepspeed/zero3_parameters.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

/// Parameters of 100, 60 and 10 elements, two bytes each, over four ranks: shards of 25, 15 and 3.
class Zero3ParametersTest : public testing::Test {
protected:
    static std::vector<ZeroParameter> parameters() {
        std::vector<ZeroParameter> list;
        for (const std::int64_t elements : {100, 60, 10}) {
            list.push_back({.elements = elements, .wireWidth = 2});
        }
        return list;
    }
    static Zero3GatherOptions options() {
        return {.ranks = 4, .limits = {.prefetchBucket = 0, .persistenceThreshold = 10}};
    }
    static ModuleVisit visit(int module, std::vector<std::size_t> parameters) {
        return {.module = module, .parameters = std::move(parameters)};
    }
    /// A forward that enters and leaves one module after another.
    static ModuleTrace oneAfterAnother(const std::vector<ModuleVisit>& visits) {
        ModuleTrace trace{.own = std::vector<ParameterIds>(visits.size()), .events = {}};
        for (const ModuleVisit& visit : visits) {
            const auto module = static_cast<std::size_t>(visit.module);
            trace.own[module] = visit.parameters;
            trace.events.push_back({.enter = true, .module = module});
            trace.events.push_back({.enter = false, .module = module});
        }
        return trace;
    }
    Device device_;
};

TEST_F(Zero3ParametersTest, AModuleHasItsParametersWhileItRuns) {
    Zero3Parameters zero(device_, parameters(), options());
    zero.enter(visit(0, {0}), false);
    EXPECT_EQ(device_.live(), 2 * 4 * 25);
    zero.leave(visit(0, {0}), false);
    EXPECT_EQ(device_.live(), 0);
}

// Several travel in one buffer, and are copied out of it.
TEST_F(Zero3ParametersTest, SeveralAreGatheredTogether) {
    Zero3Parameters zero(device_, parameters(), options());
    zero.enter(visit(0, {0, 1}), false);
    EXPECT_EQ(device_.peak(), 2 * 4 * (25 + 15) + 2 * (100 + 60));
    EXPECT_EQ(device_.live(), 2 * (100 + 60));
}

TEST_F(Zero3ParametersTest, SmallOnesStay) {
    Zero3Parameters zero(device_, parameters(), options());
    zero.gatherPersistent();
    EXPECT_EQ(device_.live(), 2 * 4 * 3);
    zero.enter(visit(0, {2}), false);
    zero.leave(visit(0, {2}), false);
    EXPECT_EQ(device_.live(), 2 * 4 * 3);
    zero.partitionAll();
    EXPECT_EQ(device_.live(), 0);
}

// The module runs again after the other one's 60 elements.
TEST_F(Zero3ParametersTest, WhatIsNeededSoonIsNotFreed) {
    for (const std::int64_t maxReuse : {60, 61}) {
        device_ = Device();
        Zero3GatherOptions reuse = options();
        reuse.limits.maxReuse = maxReuse;
        Zero3Parameters zero(device_, parameters(), reuse);
        zero.follow(oneAfterAnother({visit(0, {0}), visit(1, {1}), visit(0, {0})}), false);
        zero.reset();
        zero.enter(visit(0, {0}), false);
        zero.leave(visit(0, {0}), false);
        EXPECT_EQ(device_.live(), maxReuse > 60 ? 2 * 100 : 0);
    }
}

// Ahead of its turn, until the bucket is passed, and only within the limit of live elements.
TEST_F(Zero3ParametersTest, TheTraceIsFetchedAhead) {
    for (const std::int64_t maxLive : {100, 101}) {
        device_ = Device();
        Zero3GatherOptions ahead = options();
        ahead.limits.prefetchBucket = 1;
        ahead.limits.maxLive = maxLive;
        Zero3Parameters zero(device_, parameters(), ahead);
        zero.follow(oneAfterAnother({visit(0, {0}), visit(1, {1}), visit(2, {2})}), false);
        zero.reset();
        zero.enter(visit(0, {0}), false);
        EXPECT_EQ(device_.live(), 2 * 100 + (maxLive > 100 ? 2 * 60 : 0));
    }
}

// A checkpoint runs module 0 again when backward has come to module 1, and frozen parameters go
// with that one. Trained ones go where their module is left.
TEST_F(Zero3ParametersTest, WhatIsFrozenAndComputedAgainStaysUntilBackwardMovesOn) {
    for (const bool trained : {false, true}) {
        device_ = Device();
        std::vector<ZeroParameter> list = parameters();
        list[0].trained = trained;
        Zero3Parameters zero(device_, list, options());
        zero.enter(visit(1, {1}), true);
        zero.enter(visit(0, {0}), false);
        zero.leave(visit(0, {0}), false);
        EXPECT_EQ(device_.live(), 2 * (trained ? 60 : 100 + 60));
        zero.leave(visit(1, {1}), true);
        EXPECT_EQ(device_.live(), 0);
    }
}

// A rank alone gathers nothing: its partitions are the parameters.
TEST_F(Zero3ParametersTest, OneRankGathersNothing) {
    Zero3GatherOptions alone = options();
    alone.ranks = 1;
    Zero3Parameters zero(device_, parameters(), alone);
    zero.enter(visit(0, {0, 1}), false);
    EXPECT_EQ(device_.live(), 0);
}

}  // namespace
}  // namespace fabricast
