#include "planner/memory/engines/deepspeed/zero_groups.h"

#include <gtest/gtest.h>

namespace fabricast {
namespace {

ZeroParameter expertOf(std::int64_t elements) {
    return {.elements = elements, .expert = true};
}

TEST(ZeroGroups, AreAllButTheExpertsAndTheExperts) {
    const ZeroGroups groups(
        {{.elements = 800}, {.elements = 200}, expertOf(400)}, {.ranks = 4}, {.ranks = 2});
    ASSERT_EQ(groups.groups().size(), 2U);
    EXPECT_FALSE(groups.groups()[0].experts);
    EXPECT_EQ(groups.groups()[0].cut.partition(), 250);
    EXPECT_TRUE(groups.groups()[1].experts);
    EXPECT_EQ(groups.groups()[1].cut.partition(), 200);
    EXPECT_EQ(groups.pieceElements(0), 250);
    EXPECT_EQ(groups.pieceElements(1), 0);
    EXPECT_EQ(groups.pieceElements(2), 200);
}

/// As split_params_into_different_moe_groups_for_optimizer cuts a list of experts.
TEST(ZeroGroups, OfExpertsHaveABoundedSize) {
    const std::int64_t matrix = 100'000'000;
    const ZeroGroups groups(
        {expertOf(matrix), expertOf(78'956'971), expertOf(1), expertOf(2 * matrix)}, {}, {});
    ASSERT_EQ(groups.groups().size(), 3U);
    EXPECT_EQ(groups.groups()[0].end, 2U);
    EXPECT_EQ(groups.groups()[1].end, 3U);
    EXPECT_EQ(groups.of(3).begin, 3U);
}

TEST(ZeroGroups, AreNoneWithoutParameters) {
    EXPECT_TRUE(ZeroGroups({}, {}, {}).groups().empty());
}

}  // namespace
}  // namespace fabricast
