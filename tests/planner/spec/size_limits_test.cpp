#include "planner/spec/size_limits.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(MultiplesAround, AreThoseThatABatchMayBe) {
    EXPECT_EQ(multiplesAround(12, 8), "8 or 16");
    EXPECT_EQ(multiplesAround(3, 8), "8");
    EXPECT_EQ(multiplesAround(kLargestBatch, 10'000), "16770000");
    EXPECT_EQ(multiplesAround(kLargestBatch, 3 * kLargestBatch), "");
}

}  // namespace
}  // namespace fabricast
