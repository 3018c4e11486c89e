#include "planner/base/slipped_name.h"

#include <gtest/gtest.h>

#include <random>

namespace fabricast {
namespace {

TEST(SlippedName, DiffersInTwoLettersAtMost) {
    const std::vector<std::string> known = {"save_strategy", "eval_strategy", "save_steps"};
    EXPECT_EQ(slippedName("save_stategy", known), "save_strategy");
    EXPECT_EQ(slippedName("Save_Stratgey", known), "save_strategy");
    EXPECT_EQ(slippedName("save_often", known), "");
    EXPECT_EQ(slippedName("", known), "");
}

/// What is passed over without a look at its distance is never so near.
TEST(SlippedName, PassesOverNothingThatIsNear) {
    std::mt19937 random(7);
    const auto word = [&random] {
        std::string letters;
        for (std::size_t i = 4 + random() % 4; i > 0; --i) {
            letters += static_cast<char>('a' + random() % 4);
        }
        return letters;
    };
    for (int i = 0; i < 20'000; ++i) {
        const std::string left = word();
        const std::string right = word();
        EXPECT_TRUE(maySlip(left, right) || editDistance(left, right) > kMostSlips)
            << left << ' ' << right;
    }
}

}  // namespace
}  // namespace fabricast
