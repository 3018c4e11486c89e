#include "planner/comm/comm_call.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

// Two gathers in each of 16 layers, for each of 4 micro-batches, of 1000 bf16 numbers.
TEST(CommCall, CountsPlacesAndMicroBatches) {
    const CommCall call{
        .op = CommOp::AllGather, .elements = 1000, .each = 2, .parts = 16, .times = 4};
    EXPECT_EQ(call.count(), 128);
    EXPECT_EQ(call.totalElements(), 128'000);
    EXPECT_EQ(call.bytes(), 2000);
}

}  // namespace
}  // namespace fabricast
