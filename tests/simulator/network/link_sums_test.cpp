#include "simulator/network/link_sums.h"

#include <gtest/gtest.h>

#include <vector>

namespace fabricast {
namespace {

using Uses = std::vector<ResourceUse>;

TEST(LinkSums, AreTakenInOrderOfTheLinksAndBeginAnew) {
    LinkSums sums(6);
    sums.add(4, 0.5);
    sums.add(1, 1.0);
    sums.add(4, 0.25);
    EXPECT_EQ(sums.take(), (Uses{{1, 1.0}, {4, 0.75}}));
    EXPECT_EQ(sums.take(), Uses());
    sums.add(4, 2.0);
    EXPECT_EQ(sums.take(), (Uses{{4, 2.0}}));
}

TEST(LinkSums, NothingOnALinkIsLeftOut) {
    LinkSums sums(3);
    sums.add(2, 0.0);
    EXPECT_EQ(sums.take(), Uses());
    sums.add(2, 0.0);
    sums.add(2, 1.0);
    EXPECT_EQ(sums.take(), (Uses{{2, 1.0}}));
}

}  // namespace
}  // namespace fabricast
