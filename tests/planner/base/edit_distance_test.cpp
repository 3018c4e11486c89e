#include "planner/base/edit_distance.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>

namespace fabricast {
namespace {

TEST(EditDistance, CountsLettersToChange) {
    EXPECT_EQ(editDistance("", ""), 0U);
    EXPECT_EQ(editDistance("kitten", "sitting"), 3U);
    EXPECT_EQ(editDistance("zero", ""), 4U);
    EXPECT_EQ(editDistance("H100", "h100"), 0U) << "case does not count";
    EXPECT_EQ(editDistance("fsdp", "fspd"), 1U) << "swapped neighbours are one change";
    EXPECT_EQ(editDistance(std::string(100'000, 'a'), std::string(100'000, 'b')), 64U);
}

TEST(EditDistance, OffersTheNearestNameOnlyWhenItIsNear) {
    constexpr std::array<std::string_view, 3> kNames = {"dgx-h100", "dgx-h200", "dgx-a100"};
    EXPECT_EQ(didYouMean("dgx-h10", kNames), "did you mean \"dgx-h100\"?");
    EXPECT_EQ(didYouMean("dgx-b200", kNames), "did you mean \"dgx-h200\"?");
    EXPECT_EQ(didYouMean("laptop", kNames), "");
    EXPECT_EQ(didYouMean("", kNames), "");
    EXPECT_EQ(didYouMean("dgx", std::array<std::string_view, 0>{}), "");
}

}  // namespace
}  // namespace fabricast
