#include "planner/base/nearest_name.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

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

TEST(NearestName, OffersTheNearestNameOnlyWhenItIsNear) {
    constexpr std::array<std::string_view, 3> kNames = {"dgx-h100", "dgx-h200", "dgx-a100"};
    EXPECT_EQ(nearestName("dgx-h10", kNames), "dgx-h100");
    EXPECT_EQ(nearestName("dgx-b200", kNames), "dgx-h200");
    EXPECT_EQ(nearestName("laptop", kNames), "");
    EXPECT_EQ(nearestName("", kNames), "");
    EXPECT_EQ(nearestName("dgx", std::array<std::string_view, 0>{}), "");
    EXPECT_EQ(suggestName("dgx-h10", kNames), "did you mean \"dgx-h100\"?");
    EXPECT_EQ(suggestName("laptop", kNames), "known: dgx-h100, dgx-h200, dgx-a100");
}

TEST(NearestName, AListOfHundredsIsCut) {
    const std::vector<std::string> names(300, "gpu");
    const std::string hint = suggestName("laptop", names);
    EXPECT_LT(hint.size(), 200U);
    EXPECT_TRUE(hint.ends_with("…")) << hint;
}

}  // namespace
}  // namespace fabricast
