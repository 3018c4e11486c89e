#include "planner/base/expected_work.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(ExpectedWork, IsRefusedWhereItIsLongAndNobodySaidThatItMayBe) {
    const Watch quick{.mayTakeLong = false};
    const ExpectedWork work{
        .where = "--runs", .what = "90000 runs", .seconds = 75.0, .less = "--runs 6000"};
    const Result<void> refused = checkWork(work, quick);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().where, "--runs");
    EXPECT_EQ(
        refused.error().why,
        "90000 runs would take about 75 s of CPU time, more than the 5 s that an answer takes "
        "without --long");
    EXPECT_EQ(refused.error().hint, "--runs 6000, or --long");
    EXPECT_TRUE(checkWork(work, {}));
    EXPECT_TRUE(checkWork({.seconds = kQuickSeconds}, quick));
}

TEST(ExpectedWork, SaysItsTimeRoughly) {
    const auto why = [](double seconds) {
        return checkWork({.what = "runs", .seconds = seconds}, {.mayTakeLong = false}).error().why;
    };
    EXPECT_NE(why(5.001).find("about 6 s"), std::string::npos) << "never as much as is taken";
    EXPECT_NE(why(1234.0).find("about 21 min"), std::string::npos) << why(1234.0);
    EXPECT_NE(why(1e6).find("about 278 h"), std::string::npos) << why(1e6);
}

TEST(ExpectedWork, APartOfItIsQuick) {
    EXPECT_EQ(quickPart(200, 1.0), 200);
    EXPECT_EQ(quickPart(200, 0.0), 200);
    EXPECT_EQ(quickPart(1000, 50.0), 100);
    EXPECT_EQ(quickPart(98'765, 7.3), 67'000);
    EXPECT_EQ(quickPart(3, 1e9), 1) << "less than one is none";
}

}  // namespace
}  // namespace fabricast
