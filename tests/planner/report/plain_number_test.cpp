#include "planner/report/plain_number.h"

#include "planner/report/cost_report.h"
#include "planner/report/durations.h"
#include "planner/report/scales.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

bool isPowerOfTen(const std::string& text) {
    const std::size_t at = text.find('e');
    return at != std::string::npos && at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9';
}

TEST(PlainNumber, HasTheDigitsThatCountAndEveryOneBeforeThePoint) {
    EXPECT_EQ(plainNumber(0.000038841, 3), "0.0000388");
    EXPECT_EQ(plainNumber(2.0, 3), "2");
    EXPECT_EQ(plainNumber(12.345, 3), "12.3");
    EXPECT_EQ(plainNumber(1048576.0, 3), "1,048,576");
    EXPECT_EQ(plainNumber(-1048576.25, 6), "-1,048,576");
    EXPECT_EQ(plainNumber(0.0, 3), "0");
    EXPECT_EQ(roundedNumber(1048576.0, 3), "1,050,000");
    EXPECT_EQ(roundedNumber(999.6, 3), "1,000");
    EXPECT_EQ(forecastNumber(45.98, 3), "46.0");
    EXPECT_EQ(forecastNumber(46.0, 3), "46");
    EXPECT_EQ(forecastNumber(1048576.5, 3), "1,050,000");
}

/// Whatever its size.
TEST(PlainNumber, IsNoPowerOfTenInWhatIsPrinted) {
    for (double value = 1.2345e-9; value < 1e15; value *= 3.0) {
        for (const std::string& text :
             {plainNumber(value, 6),
              amountText(value),
              dollarText(value),
              durationText(Seconds(value)),
              tickText(value),
              durationRange(Seconds(value / 1.7), Seconds(value * 1.7), Seconds(value))}) {
            EXPECT_FALSE(isPowerOfTen(text)) << value << " is printed as " << text;
        }
    }
}

TEST(PlainNumber, HasOneUnitForATimeAndItsInterval) {
    EXPECT_EQ(runText(Seconds(86400.0)), "1 day");
    EXPECT_EQ(runText(Seconds(86399.0)), "24.0 h");
    EXPECT_EQ(runText(Seconds(1638.0)), "27.3 min");
    EXPECT_EQ(runRange(Seconds(3000.0), Seconds(7200.0), Seconds(3600.0)), "0.833 – 2 h");
    EXPECT_EQ(runText(Seconds(39.04 * 86400.0)), "39.0 days");
    EXPECT_EQ(durationText(Seconds(66.04 * 86400.0)), "66.0 days") << "as beside it";
    EXPECT_EQ(durationText(Seconds(0.988)), "988 ms");
    EXPECT_EQ(durationRange(Seconds(0.892), Seconds(1.64), Seconds(0.988)), "892 – 1,640 ms");
}

}  // namespace
}  // namespace fabricast
