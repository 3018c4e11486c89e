#include "tests/support/same_text.h"

#include <gtest/gtest.h>

#include <string>

namespace fabricast {
namespace {

struct TextPair {
    const char* name;
    const char* now;
    const char* before;
};
std::string nameOf(const testing::TestParamInfo<TextPair>& pair) {
    return pair.param.name;
}

class SameTexts : public testing::TestWithParam<TextPair> {};
TEST_P(SameTexts, HaveNoDifference) {
    EXPECT_EQ(textDifference(GetParam().now, GetParam().before), "");
    EXPECT_EQ(textDifference(GetParam().before, GetParam().now), "");
}
INSTANTIATE_TEST_SUITE_P(
    All,
    SameTexts,
    testing::Values(
        TextPair{"equal", "tp=8 pp=4\n", "tp=8 pp=4\n"},
        TextPair{"decimal_within_a_thousandth", "\"step_s\": 2.0541873", "\"step_s\": 2.0539998"},
        TextPair{"last_digit_of_three", "step 7.35 ms", "step 7.34 ms"},
        TextPair{"exponent", "4.0012e+12 FLOP", "4.0e12 FLOP"},
        TextPair{"thousands", "7,977 tokens", "7,981 tokens"},
        TextPair{"whole_number_with_a_unit", "735 ms, 1204 GB/s", "736 ms, 1205 GB/s"},
        TextPair{"unit_without_a_blank", "takes 735ms, $121", "takes 734ms, $122"},
        TextPair{"wider_number_moves_a_table", "a   1000.2  b\n-------\n", "a  999.6  b\n------\n"},
        TextPair{"path_of_a_picture", "d=\"M88.05 40.51h12\"", "d=\"M88.01 40.52h12\""},
        TextPair{"negative", "off -22.0 %", "off -21.9 %"}),
    nameOf);

class OtherTexts : public testing::TestWithParam<TextPair> {};
TEST_P(OtherTexts, Differ) {
    EXPECT_NE(textDifference(GetParam().now, GetParam().before), "");
    EXPECT_NE(textDifference(GetParam().before, GetParam().now), "");
}
INSTANTIATE_TEST_SUITE_P(
    All,
    OtherTexts,
    testing::Values(TextPair{"word", "fits", "does not fit"},
                    TextPair{"decimal_by_a_hundredth", "step 2.054 s", "step 2.075 s"},
                    TextPair{"last_digit_of_two", "1.2 x", "1.3 x"},
                    TextPair{"count", "182 layouts", "183 layouts"},
                    TextPair{"count_in_json", "\"peak\": 85012345856", "\"peak\": 85012345857"},
                    TextPair{"large_count_in_csv", "megatron,100000,2", "megatron,100001,2"},
                    TextPair{"layout", "dp=128,tp=8", "dp=127,tp=8"},
                    TextPair{"name_with_digits", "h100-sxm5-80gb", "h200-sxm5-80gb"},
                    TextPair{"version", "NCCL 2.28.9", "NCCL 2.28.8"},
                    TextPair{"date", "market-2026-05", "market-2026-06"},
                    TextPair{"sign", "off -22.0 %", "off 22.0 %"},
                    TextPair{"unit", "7.34 ms", "7.34 us"},
                    TextPair{"lost_decimal", "7.34 GiB", "734 GiB"},
                    TextPair{"moved_column", "a  1.25  b", "a   1.25  b"},
                    TextPair{"lost_line", "a\nb\n", "a\n"},
                    TextPair{"lost_line_end", "a\n", "a"}),
    nameOf);

TEST(TextDifference, NamesTheFirstLinesAndHowManyMore) {
    EXPECT_EQ(textDifference("a\nb\nc\n", "a\nx\nc\n"), "line 2\n  is  b\n  was x\n");
    const std::string difference = textDifference("1\n2\n3\n4\n5\n6\n7\n", "a\nb\nc\nd\ne\nf\ng\n");
    EXPECT_NE(difference.find("line 5\n"), std::string::npos);
    EXPECT_EQ(difference.find("line 6\n"), std::string::npos);
    EXPECT_NE(difference.find("and 2 lines more\n"), std::string::npos);
}

TEST(TextDifference, AllowsNothingWhereAsked) {
    EXPECT_NE(textDifference("step 7.35 ms", "step 7.34 ms", kExact), "");
    EXPECT_EQ(textDifference("step 7.35 ms", "step 7.35 ms", kExact), "");
}

}  // namespace
}  // namespace fabricast
