#include "planner/memory/megatron_buffers.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

std::vector<WeightUse> parameters() {
    return {{.name = "first", .elements = 1000, .isMatrix = true},
            {.name = "norm", .elements = 70, .isMatrix = false},
            {.name = "last", .elements = 300, .isMatrix = true}};
}

std::int64_t elementsOf(const std::vector<ShardPiece>& pieces, bool matrices) {
    std::int64_t sum = 0;
    for (const ShardPiece& piece : pieces) {
        sum += piece.isMatrix == matrices ? piece.elements : 0;
    }
    return sum;
}

// Filled from the last: 300, then 70 from 320, then 1000 from 448: 1448 in all.
TEST(MegatronBuffers, PadStartsTo64AndTheEndToTheRanks) {
    EXPECT_EQ(layOutBuffer(parameters(), {.ranks = 1}, 0).elements, 1536);      // 12 x 128
    EXPECT_EQ(layOutBuffer(parameters(), {.ranks = 12}, 0).elements, 1536);     // 4 x lcm(12, 128)
    EXPECT_EQ(layOutBuffer(parameters(), {.ranks = 1000}, 0).elements, 16000);  // lcm(1000, 128)
    EXPECT_EQ(layOutBuffer(parameters(), {.ranks = 1, .wideBuckets = true}, 0).elements, 65536);
}

TEST(MegatronBuffers, AreNotPaddedWithoutTheDistributedOptimizer) {
    const ParameterBuffer buffer =
        layOutBuffer(parameters(), {.ranks = 8, .distributed = false}, 3);
    EXPECT_EQ(buffer.elements, 1370);
    EXPECT_EQ(elementsOf(buffer.mine, true), 1300);
    EXPECT_EQ(elementsOf(buffer.mine, false), 70);
}

TEST(MegatronBuffers, AreCutEvenlyBetweenTheRanks) {
    // Shares of 768: the first ends inside "first" at 768, the second holds the rest of it.
    const auto first = layOutBuffer(parameters(), {.ranks = 2}, 0).mine;
    EXPECT_EQ(elementsOf(first, true), 300 + (768 - 448));
    EXPECT_EQ(elementsOf(first, false), 70);
    const auto second = layOutBuffer(parameters(), {.ranks = 2}, 1).mine;
    EXPECT_EQ(elementsOf(second, true), 1448 - 768);
    EXPECT_EQ(elementsOf(second, false), 0);
}

TEST(MegatronBuffers, BucketsCloseOnceTheyAreFull) {
    // "last" and "norm" fill a bucket of 390, padded to 512; "first" is the next one.
    const ParameterBuffer buffer = layOutBuffer(parameters(), {.ranks = 1, .bucketSize = 350}, 0);
    EXPECT_EQ(buffer.elements, 512 + 1024);
    const auto half = layOutBuffer(parameters(), {.ranks = 2, .bucketSize = 350}, 0).mine;
    EXPECT_EQ(elementsOf(half, true), 256 + 512);
}

}  // namespace
}  // namespace fabricast
