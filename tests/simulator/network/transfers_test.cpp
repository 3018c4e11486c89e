#include "simulator/network/transfers.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

using namespace literals;

// Two transfers of 1 GB over 10 GB/s: both at 5 GB/s until one ends at 0.2 s, at the same time.
// With 1 and 2 GB the shorter ends at 0.2 s, the longer has 1 GB left at 10 GB/s: 0.3 s.
TEST(Transfers, SpeedUpWhenOthersEnd) {
    Transfers transfers({10_GBps});
    const FlowIndex shorter = transfers.start(SimTime(0), 1_GB, {.uses = {{0}}});
    const FlowIndex longer = transfers.start(SimTime(0), 2_GB, {.uses = {{0}}});
    const auto first = transfers.next();
    ASSERT_TRUE(first);
    EXPECT_EQ(first->flow, shorter);
    EXPECT_EQ(first->time, simTime(Seconds(0.2)));
    transfers.end(*first);
    const auto second = transfers.next();
    ASSERT_TRUE(second);
    EXPECT_EQ(second->flow, longer);
    EXPECT_EQ(second->time, simTime(Seconds(0.3)));
    transfers.end(*second);
    EXPECT_FALSE(transfers.next());
}

TEST(Transfers, SlowDownWhenOneStartsOnTheWay) {
    Transfers transfers({10_GBps});
    transfers.start(SimTime(0), 2_GB, {.uses = {{0}}});
    // 1 GB has arrived after 0.1 s; the rest at half the rate.
    transfers.start(simTime(Seconds(0.1)), 5_GB, {.uses = {{0}}});
    EXPECT_EQ(transfers.next()->time, simTime(Seconds(0.3)));
}

TEST(Transfers, WaitWhereALinkIsDeadAndGoOnWhenItIsBack) {
    Transfers transfers({10_GBps});
    transfers.start(SimTime(0), 1_GB, {.uses = {{0}}});
    transfers.setCapacity(simTime(Seconds(0.05)), 0, BytesPerSecond(0));
    EXPECT_FALSE(transfers.next());
    transfers.setCapacity(simTime(Seconds(1.0)), 0, 10_GBps);
    EXPECT_EQ(transfers.next()->time, simTime(Seconds(1.05)));
}

}  // namespace
}  // namespace fabricast
