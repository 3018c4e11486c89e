#include "simulator/core/sim_time.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(SimTime, CountsWholePicoseconds) {
    EXPECT_EQ(simTime(Seconds(1.5e-6)).count(), 1'500'000);
    EXPECT_EQ(simTime(Seconds(0.4e-12)).count(), 0);
    EXPECT_DOUBLE_EQ(seconds(simTime(Seconds(3.25))).count(), 3.25);
}

TEST(SimTime, OfWhatNeverEndsIsTheLongestThereIs) {
    EXPECT_EQ(simTime(Seconds(1e300)), SimTime(INT64_MAX));
    EXPECT_EQ(simTime(Seconds(1.0 / 0.0)), SimTime(INT64_MAX));
}

}  // namespace
}  // namespace fabricast
