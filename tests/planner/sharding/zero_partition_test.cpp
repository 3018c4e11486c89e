#include "planner/sharding/zero_partition.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

// 30 elements over 4 ranks: the flat buffer is padded to 32, a partition has 8.
//   rank 0: 10 → 8    rank 1: 2 + 6    rank 2: 6 + 2    rank 3: 6 and 2 of padding
TEST(ZeroPartition, CutsWhereverTheBoundariesFall) {
    const std::vector<std::int64_t> list = {10, 12, 8};
    const ZeroPartition second(list, {.ranks = 4, .rank = 1});
    EXPECT_EQ(second.padded(), 32);
    EXPECT_EQ(second.partition(), 8);
    EXPECT_EQ(second.pieceElements(0), 2);
    EXPECT_EQ(second.pieceElements(1), 6);
    EXPECT_FALSE(second.owns(2));
    EXPECT_EQ(second.padding(), 0);
    const auto slices = second.slices(1);
    ASSERT_EQ(slices.size(), 2U);
    EXPECT_EQ(slices[0].rank, 1);
    EXPECT_EQ(slices[0].elements, 6);
    EXPECT_EQ(slices[1].rank, 2);
    EXPECT_EQ(slices[1].elements, 6);
    EXPECT_EQ(ZeroPartition(list, {.ranks = 4, .rank = 3}).padding(), 2);
}

// Dealt to two ranks in turn, the flat buffer holds parameters 0, 2, 1, 3.
TEST(ZeroPartition, RoundRobinDealsParametersFirst) {
    const ZeroPartition cut({4, 4, 4, 4}, {.ranks = 2, .rank = 0, .roundRobin = true});
    EXPECT_TRUE(cut.owns(0));
    EXPECT_FALSE(cut.owns(1));
    EXPECT_TRUE(cut.owns(2));
}

TEST(ZeroPartition, MoreRanksThanElementsLeavesSomeWithPaddingOnly) {
    const ZeroPartition cut({3}, {.ranks = 8, .rank = 5});
    EXPECT_EQ(cut.partition(), 2);
    EXPECT_FALSE(cut.owns(0));
    EXPECT_EQ(cut.padding(), 2);
}

}  // namespace
}  // namespace fabricast
