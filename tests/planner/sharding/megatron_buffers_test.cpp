#include "planner/sharding/megatron_buffers.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

std::vector<BufferedWeight> weights() {
    return {{.elements = 1000}, {.elements = 70, .isMatrix = false}, {.elements = 300}};
}

std::int64_t elementsOf(const std::vector<BufferedWeight>& pieces, bool matrices) {
    std::int64_t sum = 0;
    for (const BufferedWeight& piece : pieces) {
        sum += piece.isMatrix == matrices ? piece.elements : 0;
    }
    return sum;
}

// Filled from the last: 300, then 70 from 320, then 1000 from 448: 1448 in all.
TEST(MegatronBuffer, PadsStartsTo64AndTheEndToTheRanks) {
    EXPECT_EQ(MegatronBuffer(weights(), {.ranks = 1}).elements(), 1536);      // 12 x 128
    EXPECT_EQ(MegatronBuffer(weights(), {.ranks = 12}).elements(), 1536);     // 4 x lcm(12, 128)
    EXPECT_EQ(MegatronBuffer(weights(), {.ranks = 1000}).elements(), 16000);  // lcm(1000, 128)
    EXPECT_EQ(MegatronBuffer(weights(), {.ranks = 1, .wideBuckets = true}).elements(), 65536);
}

TEST(MegatronBuffer, IsNotPaddedWithoutTheDistributedOptimizer) {
    const MegatronBuffer buffer(weights(), {.ranks = 8, .distributed = false});
    EXPECT_EQ(buffer.elements(), 1370);
    EXPECT_EQ(elementsOf(buffer.piecesOf(3), true), 1300);
    EXPECT_EQ(elementsOf(buffer.piecesOf(3), false), 70);
}

TEST(MegatronBuffer, IsCutEvenlyBetweenTheRanks) {
    // Shares of 768: the first ends inside the first weight at 768, the second holds its rest.
    const MegatronBuffer buffer(weights(), {.ranks = 2});
    EXPECT_EQ(elementsOf(buffer.piecesOf(0), true), 300 + (768 - 448));
    EXPECT_EQ(elementsOf(buffer.piecesOf(0), false), 70);
    EXPECT_EQ(elementsOf(buffer.piecesOf(1), true), 1448 - 768);
    EXPECT_EQ(elementsOf(buffer.piecesOf(1), false), 0);
}

TEST(MegatronBuffer, BucketsCloseOnceTheyAreFull) {
    // The last two weights fill a bucket of 390, padded to 512; the first one is the next bucket.
    const MegatronBuffer buffer(weights(), {.size = 350, .ranks = 1});
    ASSERT_EQ(buffer.buckets().size(), 2U);
    EXPECT_EQ(buffer.buckets()[0].elements(), 512);
    EXPECT_EQ(buffer.buckets()[1].elements(), 1024);
    const MegatronBuffer halves(weights(), {.size = 350, .ranks = 2});
    EXPECT_EQ(elementsOf(halves.piecesOf(0), true), 256 + 512);
}

// It has a bucket of its own, whatever the size.
TEST(MegatronBuffer, ATableThatTwoStagesHoldIsAlone) {
    const MegatronBuffer buffer({{.elements = 100}, {.elements = 200, .shared = true}}, {});
    ASSERT_EQ(buffer.buckets().size(), 2U);
    EXPECT_EQ(buffer.buckets()[0].elements(), 256);
    EXPECT_EQ(buffer.buckets()[1].elements(), 128);
}

}  // namespace
}  // namespace fabricast
