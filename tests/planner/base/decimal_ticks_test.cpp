#include "planner/base/decimal_ticks.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

TEST(DecimalTicks, KeepNumbersAsTheyWereTyped) {
    const Decimal number = parseDecimal("1.25", "--p2p").value();
    EXPECT_EQ(number.digits, 125);
    EXPECT_EQ(number.decimals, 2);
    EXPECT_EQ(ticksOf(number, 4, "--p2p").value(), 12'500);
    EXPECT_EQ(tickText(12'500, 4), "1.25");
    EXPECT_EQ(tickText(5, 3), "0.005");
    EXPECT_EQ(tickText(3000, 3), "3");
    EXPECT_EQ(tickText(0, 2), "0");
    EXPECT_EQ(tickText(41, 0), "41");
    EXPECT_EQ(parseDecimal(".5", "x")->digits, 5);
    EXPECT_EQ(parseDecimal("5.", "x")->digits, 5);
}

TEST(DecimalTicks, RefuseWhatIsNoNumber) {
    for (const char* text :
         {"", ".", "-1", "+1", "1e3", "1.2.3", "1 2", "nan", "0.1234567", "99999999999999999999"}) {
        EXPECT_FALSE(parseDecimal(text, "--p2p")) << text;
    }
    EXPECT_EQ(
        parseDecimal("4 ms", "--p2p").error().text(),
        "--p2p: \"4 ms\" is not a duration (a number from 0 on without a unit, with at most 6 "
        "decimals: 41 or 1.25)");
    EXPECT_TRUE(ticksOf({kMostTicks, 0}, 0, "x"));
    EXPECT_FALSE(ticksOf({kMostTicks, 0}, 1, "x"));
    EXPECT_FALSE(ticksOf({kMostTicks + 1, 6}, 6, "x"));
}

}  // namespace
}  // namespace fabricast
