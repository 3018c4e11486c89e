#include "planner/base/nearest_name.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
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

TEST(EditDistance, ABoundChangesNothingBelowIt) {
    std::mt19937 random(7);  // NOLINT(cert-msc32-c,cert-msc51-cpp): the same each time
    const auto word = [&random] {
        std::string letters(random() % 9, 'a');
        for (char& letter : letters) {
            letter = static_cast<char>('a' + random() % 3);
        }
        return letters;
    };
    std::size_t near = 0;
    for (int i = 0; i < 3000; ++i) {
        const std::string left = word();
        const std::string right = word();
        const std::size_t distance = editDistance(left, right);
        for (std::size_t most = 0; most < 9; ++most) {
            const std::size_t bounded = editDistance(left, right, most);
            near += distance <= most ? 1 : 0;
            EXPECT_TRUE(distance <= most ? bounded == distance : bounded > most)
                << left << " " << right << " " << most;
        }
    }
    EXPECT_GT(near, 1000U);
}

TEST(NearestName, OffersTheNearestNameOnlyWhenItIsNear) {
    constexpr std::array<std::string_view, 3> kNames = {"dgx-h100", "dgx-h200", "dgx-a100"};
    EXPECT_EQ(nearestName("dgx-h10", kNames), "dgx-h100");
    EXPECT_EQ(nearestName("dgx-b200", kNames), "dgx-h200");
    EXPECT_EQ(nearestName("laptop", kNames), "");
    EXPECT_EQ(nearestName(std::string(200, 'a'), kNames), "") << "longer than what is compared";
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
